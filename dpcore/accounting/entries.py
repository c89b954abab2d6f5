"""One line of an account: trainings, releases, models, or what was spent, and its days; as text.

What is proved of a model at its (ε, δ) is plain data, since accounting sees no record and knows no
method's code. Every method is calibrated under the adjacency asked for. Its release is one of:

- one Gaussian mechanism of sensitivity 1, whose noise follows from ε and δ alone. Adaptive Gaussian
  steps compose exactly to one (Dong, Roth, Su 2022), so that T steps of DP-GD with noise √T σ
  cost what one with σ does;
- (ε, 0) and no more: randomised response dominates it (Kairouz, Oh, Viswanath 2015);
- (ε, δ) and no more: randomised response that fails with probability δ dominates it (the same).
  Its δ is taken from what the others may use.
"""

from __future__ import annotations

import calendar
import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, timedelta
from typing import Any

from dpcore.accounting.decimals import decimal, named_above
from dpcore.accounting.events import (
    ROUNDED_UP,
    Event,
    Gaussian,
    Laplace,
    Pure,
    Step,
    TrainingPlan,
    change,
    steps,
    steps_per_epoch,
    usual_batch,
)
from dpcore.errors import InvalidInput, brief, number, one_of, reject, whole
from dpcore.guarantee import SMALLEST_DELTA, Adjacency
from dpcore.mechanisms.gaussian import analytic_sigma
from dpcore.spreadsheet import FORMULA_SIGNS
from dpcore.words import as_set, spaced

GAUSSIAN, PURE, PAIR = "gaussian", "pure", "pair"
PROOFS = {
    "outpert": GAUSSIAN,
    "opera": GAUSSIAN,
    "sgdpert": PAIR,
    "grpua": PAIR,
    "adassp": GAUSSIAN,
    "dpftrl": GAUSSIAN,
    "dpgd": GAUSSIAN,
    "dpnewton": GAUSSIAN,
    "functional": PURE,
    "inputpert": GAUSSIAN,
    "objpert": PAIR,
    "objpert_pure": PURE,
    "outpert_pure": PURE,
    "psgd": GAUSSIAN,
    "decision-tree": PURE,
    "naive-bayes": GAUSSIAN,
    "noisy-marginals": PAIR,
    "online-tree": GAUSSIAN,
    "pate": GAUSSIAN,
    "random-forest": PAIR,
    "scalable-pate": GAUSSIAN,
}
"""The kind of proof of every method, in the order of `dpcore.predictors`."""
COVERED = (Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE)
CLASSICAL = "outpert"
"""Its noise is more than the analytic one, and proved below ε = 1."""
PAIR_DELTA = 1e-7
"""The usual δ of one model of which (ε, δ) alone is proved: a hundredth of the usual one."""


def unproved(method: str | None, adjacency: Adjacency) -> str:
    """Why nothing is proved of a method under an adjacency, in one sentence; "" where it is."""
    if method is None or adjacency in COVERED:
        return ""
    covered = " or ".join(COVERED)
    return (
        f"{method} has no proof under {adjacency}, as its noise follows from the number of records:"
        f" the account must be under {covered}."
    )


def check_epsilon(method: str, epsilon: float) -> None:
    """Refuse an ε at which a method proves nothing."""
    if method == CLASSICAL and epsilon >= 1.0:
        raise InvalidInput(
            f"ε is {as_set(epsilon)}, but for {method} it must be below 1: from there on its "
            "formula proves nothing."
        )


def noise_multiplier(epsilon: float, delta: float) -> float:
    """σ over sensitivity of the Gaussian mechanism that a model costs at most, rounded down."""
    return float(analytic_sigma(epsilon, delta)) / ROUNDED_UP


KINDS = ("training", "release", "laplace", "model", "spent")
EVERY = ("day", "week", "month", "quarter", "once")
"""Distances of the repetitions of an entry; "once" puts all of them on one day."""
MONTHS = {"month": 1, "quarter": 3}
DAYS = {"day": 1, "week": 7, "once": 0}
FIRST_DAY, LAST_DAY = date(2000, 1, 1), date(2100, 12, 31)
LONGEST_TITLE = 40
MAX_ENTRIES, MAX_COUNT = 400, 1_000
MAX_COLUMNS = 500
MIN_NOISE, MAX_NOISE = 1e-3, 1e6
MAX_EPSILON = 1e3

_OWN = {
    "training": ("noise", "share", "records", "batch", "epochs", "sampling"),
    "release": ("noise", "share", "epsilon", "records", "columns"),
    "laplace": ("share", "epsilon"),
    "model": ("share", "epsilon", "delta", "method"),
    "spent": ("epsilon", "delta"),
}
_NOISE_FROM = {
    "training": ("noise", "share"),
    "release": ("noise", "epsilon", "share"),
    "laplace": ("epsilon", "share"),
    "model": ("epsilon", "share"),
}
TITLES = {
    "training": "Training",
    "release": "Count",
    "laplace": "Laplace count",
    "model": "Model",
    "spent": "Already spent",
}
MAX_LETTERS = 16_000
BETWEEN_ENTRIES, BETWEEN_CELLS = ";", "~"
_COMMON = ("what", "count", "first", "every", "noise", "share", "epsilon")
_LINK = {
    "training": (*_COMMON[:-1], "records", "batch", "epochs", "sampling", "adjacency"),
    "release": (*_COMMON, "adjacency", "records", "columns"),
    "laplace": (*_COMMON, "adjacency"),
    "model": (*_COMMON[:4], "method", "epsilon", "delta", "share", "adjacency"),
    "spent": ("what", "first", "epsilon", "delta", "adjacency"),
}
"""The cells of each kind in a link, after the kind; empty ones at the end are left out."""


@dataclass(frozen=True)
class AccountEntry:
    """One line of the account. Fields that its kind does not have are ``None``."""

    kind: str  # "training", "release" (Gaussian), "laplace", "model" (corrected edition) or "spent"
    what: str = ""
    count: int = 1  # each time with fresh noise
    first: date = date(2026, 1, 1)
    every: str = "week"  # one of `EVERY`
    noise: float | None = None  # σ/C of a training, whatever the adjacency; σ/Δ (L2) of a release
    share: float | None = None  # in place of noise: relative to others with a share
    epsilon: float | None = None  # of a release alone; Δ/b of a Laplace release
    delta: float | None = None  # of what is spent; of a model the account's where left out
    records: int | None = None  # n of a training or of a table, public
    batch: int | None = None  # (expected) records a step
    epochs: int | None = None  # passes of ⌈n/batch⌉ steps each
    sampling: str | None = None  # "poisson" or "fixed"
    adjacency: Adjacency | None = None  # the account's where None; another only of kind "spent"
    method: str | None = None  # of a model: a key of `PROOFS`
    columns: int | None = None  # of a release that is a whole table: how many it summarises

    def __post_init__(self) -> None:
        one_of("kind", self.kind, KINDS)
        # Only printable characters: no other may reverse a line or end one in a file.
        printable = "".join(filter(str.isprintable, " ".join(str(self.what).split())))
        title = printable[:LONGEST_TITLE].strip() or TITLES[self.kind]
        count = whole("how many", self.count, at_least=1, at_most=MAX_COUNT)
        self._set(what=title, count=count, first=_day(self.first))
        one_of("every", self.every, EVERY)
        for name in (
            "noise",
            "share",
            "epsilon",
            "delta",
            *_OWN["training"][2:],
            "method",
            "columns",
        ):
            if getattr(self, name) is not None and name not in _OWN[self.kind]:
                raise InvalidInput(
                    f"{name} is given, but “{TITLES[self.kind].lower()}” has none: leave it empty."
                )
        if self.kind == "spent":
            self._check_spent()
        else:
            self._check_noise()
        if self.kind == "training":
            self._check_training()
        if self.kind == "model":
            self._check_model()
        if self.kind == "release" and (self.columns, self.records) != (None, None):
            self._set(
                records=whole("records n", self.records, at_least=1, at_most=1_000_000_000),
                columns=whole("columns", self.columns, at_least=1, at_most=MAX_COLUMNS),
            )
        if self.adjacency is not None:
            names = tuple(map(str, Adjacency))
            self._set(adjacency=Adjacency(one_of("adjacency", str(self.adjacency), names)))
        if self.days()[-1] > LAST_DAY:
            raise reject("the last day", str(self.days()[-1]), f"at most {LAST_DAY}")

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _check_noise(self) -> None:
        names = _NOISE_FROM[self.kind]
        given = [name for name in names if getattr(self, name) is not None]
        if len(given) != 1:
            stated = " and ".join(given) if given else "noise"
            verb = "are both given" if given else "is empty"
            raise InvalidInput(f"{stated} {verb}, but exactly one of {', '.join(names)} must be.")
        if self.noise is not None:
            noise = number("noise", self.noise, at_least=MIN_NOISE, at_most=MAX_NOISE)
            self._set(noise=noise)
        if self.share is not None:
            self._set(share=number("share", self.share, at_least=1e-3, at_most=1e3))
        if self.epsilon is not None:
            self._set(epsilon=_upward("ε", self.epsilon, at_least=1e-6, at_most=MAX_EPSILON))

    def _check_training(self) -> None:
        # Not given, the usual ones: a batch by the rule, one epoch and Poisson samples.
        records = whole("records n", self.records, at_least=1, at_most=1_000_000_000)
        batch = usual_batch(records) if self.batch is None else self.batch
        epochs = 1 if self.epochs is None else self.epochs
        self._set(
            records=records,
            batch=whole("batch size", batch, at_least=1, at_most=records),
            epochs=whole("epochs", epochs, at_least=1, at_most=1_000_000),
            sampling=one_of("sampling", self.sampling or "poisson", ("poisson", "fixed")),
        )
        self.event(1.0)

    def _check_model(self) -> None:
        if self.method == "nonprivate":
            raise InvalidInput("method is nonprivate, but it must add noise: nothing is proved.")
        method = one_of("method", self.method or "", tuple(PROOFS))
        self._set(method=method)
        if self.epsilon is not None:
            check_epsilon(method, self.epsilon)
        if self.delta is None and self.proof == PAIR:
            self._set(delta=PAIR_DELTA)
        if self.delta is not None and self.proof == PURE:
            raise reject("δ", self.delta, f"left out: {method} keeps its ε at δ = 0")
        if self.delta is not None:
            self._set(delta=_upward("δ", self.delta, at_least=SMALLEST_DELTA, below=1.0))

    @property
    def steps(self) -> int | None:
        """T of one training, from n, batch and epochs; ``None`` of all else."""
        if self.records is None or self.batch is None or self.epochs is None:
            return None
        return self.epochs * steps_per_epoch(self.records, self.batch)

    @property
    def proof(self) -> str:
        """The kind of proof of a model (`PROOFS`); "" of all else."""
        return PROOFS[self.method] if self.method else ""

    @property
    def failing(self) -> float:
        """δ that it takes from the account each time, beside what is composed."""
        return (self.delta or 0.0) if self.proof == PAIR else 0.0

    def _check_spent(self) -> None:
        epsilon = _upward("ε", self.epsilon, at_least=0.0, at_most=MAX_EPSILON)
        self._set(epsilon=epsilon, every="once")
        self._set(delta=_upward("δ", self.delta or 0.0, at_least=0.0, below=1.0))
        whole("how many", self.count, at_least=1, at_most=1)

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> AccountEntry:
        """An entry from cells as typed; empty ones are left out."""
        names = [field.name for field in fields(cls)]
        for name in row:
            one_of("column", name, tuple(names))
        cells = {name: cell for name, cell in row.items() if not _is_empty(cell)}
        if "kind" not in cells:
            raise reject("kind", "empty", f"one of {', '.join(KINDS)}")
        return cls(**cells)

    def row(self) -> dict[str, Any]:
        """The fields that it has, as `of` reads them."""
        repeated = () if self.kind == "spent" else ("count", "every")
        names = ("kind", "what", "first", *repeated, *_OWN[self.kind], "adjacency")
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value is not None}

    def days(self) -> list[date]:
        """The day of each time, ascending; shape (count,)."""
        if months := MONTHS.get(self.every):
            return [_months_later(self.first, months * index) for index in range(self.count)]
        try:
            return [
                self.first + timedelta(days=DAYS[self.every] * index) for index in range(self.count)
            ]
        except OverflowError:
            raise reject("the last day", "after 2100", f"at most {LAST_DAY}") from None

    def event(self, noise: float) -> Event:
        records, batch, sampling = self.records or 1, self.batch or 1, self.sampling or "poisson"
        return TrainingPlan(noise, records, batch, self.steps or 1, 1e-5, sampling=sampling).event()

    def step(self, adjacency: Adjacency) -> Step | None:
        """One time as a step with its count; ``None`` for what is already spent.

        An event's noise is on a sum that one record moves by its `change`; that of a release is in
        units of Δ, which includes the adjacency.
        """
        if self.kind == "spent":
            return None
        event: Event
        if self.kind == "model":
            assert self.epsilon is not None
            event = Pure(self.epsilon)
            if self.proof == GAUSSIAN:
                assert self.delta is not None
                noise = noise_multiplier(self.epsilon, self.delta)
                event = Gaussian(noise * change(adjacency))
        elif self.kind == "laplace":
            assert self.epsilon is not None
            event = Laplace(change(adjacency) / self.epsilon)
        else:
            assert self.noise is not None
            is_training = self.kind == "training"
            event = (
                self.event(self.noise) if is_training else Gaussian(self.noise * change(adjacency))
            )
        (step,) = steps(event)
        return step


def _upward(field: str, value: Any, **limits: float) -> float:
    """A number within its limits; of more digits than a float has, it is the float above."""
    number(field, value, **limits)
    return named_above(decimal(value, field))


def _is_empty(cell: object) -> bool:
    return cell is None or cell != cell or cell == ""


def _day(cell: object) -> date:
    try:
        day = date.fromisoformat(str(cell)[:10])
    except ValueError:
        raise reject("first day", brief(cell).strip("'"), "a day such as 2026-03-31") from None
    if not FIRST_DAY <= day <= LAST_DAY:
        raise reject("first day", str(day), "a day from the years 2000 to 2100")
    return day


def _months_later(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if year > LAST_DAY.year:
        raise reject("the last day", "after 2100", f"at most {LAST_DAY}")
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


COLUMNS = tuple(field.name for field in fields(AccountEntry))


def to_link(entries: Sequence[AccountEntry]) -> str:
    """The entries in one line, for a link."""
    return BETWEEN_ENTRIES.join(_in_link(entry) for entry in entries)


def _in_link(entry: AccountEntry) -> str:
    cells = [entry.kind, *(_cell(getattr(entry, name)) for name in _LINK[entry.kind])]
    return BETWEEN_CELLS.join(cells).rstrip(BETWEEN_CELLS)


def _cell(cell: Any) -> str:
    if cell is None:
        return ""
    text = repr(cell).removesuffix(".0") if isinstance(cell, float) else str(cell)
    return text.replace(BETWEEN_ENTRIES, " ").replace(BETWEEN_CELLS, " ")


def from_link(text: str) -> tuple[AccountEntry, ...]:
    """The entries that `to_link` wrote."""
    if len(text) > MAX_LETTERS:
        raise InvalidInput(
            f"The account has {spaced(len(text))} letters, but a link must have at most "
            f"{spaced(MAX_LETTERS)}."
        )
    parts = text.split(BETWEEN_ENTRIES) if text else []
    return _entries(parts, "Entry", _from_link)


def _from_link(part: str) -> AccountEntry:
    kind, *cells = part.split(BETWEEN_CELLS)
    names = _LINK[one_of("kind", kind, KINDS)]
    if len(cells) > len(names):
        raise InvalidInput(f"it has {len(cells)} cells, but it must have at most {len(names)}.")
    return AccountEntry.of({"kind": kind, **dict(zip(names, cells, strict=False))})


def _entries(
    parts: Sequence[Any], noun: str, read: Callable[[Any], AccountEntry]
) -> tuple[AccountEntry, ...]:
    if len(parts) > MAX_ENTRIES:
        raise InvalidInput(
            f"The account has {len(parts)} entries, but it must have at most {MAX_ENTRIES}."
        )
    entries = []
    for place, part in enumerate(parts, start=1):
        try:
            entries.append(read(part))
        except InvalidInput as refused:
            raise InvalidInput(f"{noun} {place}: {refused}") from None
    return tuple(entries)


def to_csv(entries: Sequence[AccountEntry]) -> str:
    """The entries as a file that `from_csv` reads; no name begins like a formula."""
    target = io.StringIO()
    writer = csv.DictWriter(target, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for entry in entries:
        row = {name: _cell(value) for name, value in entry.row().items()}
        writer.writerow(row | {"what": row["what"].lstrip(f"{FORMULA_SIGNS} ")})
    return target.getvalue()


def from_csv(text: str) -> tuple[AccountEntry, ...]:
    """The entries of a file with a heading; its columns may be fewer and in any order."""
    try:
        reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), restkey="", strict=True)
        for name in reader.fieldnames or ():
            one_of("column", name, COLUMNS)
        rows = list(reader)
    except csv.Error as error:
        raise InvalidInput(f"The file is no table (CSV): {error}.") from None
    return _entries(rows, "Row", _from_row)


def _from_row(row: dict[str, Any]) -> AccountEntry:
    if "" in row:
        raise InvalidInput("it has more cells than the heading, but it must have as many.")
    return AccountEntry.of({name: (cell or "").strip() for name, cell in row.items()})
