"""One account: trainings, releases, models and what was spent, added up under one budget.

Privacy loss distributions compose all, exactly where every one is Gaussian without sampling; what
has a proved (ε, δ) only is added by basic composition, its δ taken from what the rest may use.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from dpcore.accounting.accountants import ACCOUNTANTS, certify, certify_along, refusal
from dpcore.accounting.decimals import decimal, excess, named_above, named_below
from dpcore.accounting.entries import GAUSSIAN, MAX_ENTRIES, AccountEntry, unproved
from dpcore.accounting.events import ROUNDED_UP, Composed, Event, Gaussian, Repeated, Step, steps
from dpcore.accounting.root_search import Search, boundary, most
from dpcore.accounting.tradeoff import mu_of
from dpcore.errors import InvalidInput, brief, number, reject
from dpcore.guarantee import SMALLEST_DELTA, Adjacency, Guarantee, PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_epsilon, analytic_mu, analytic_sigma
from dpcore.progress import Progress, section, silent
from dpcore.words import as_set, lowered, plain, raised, spaced

if TYPE_CHECKING:
    import pandas as pd


MAX_OCCASIONS = 2_000
MAX_MORE = 4_096
"""Most further entries that are counted."""
DIGITS = 5
"""Significant digits of noise that follows from the budget, rounded to the safe side."""
NOTHING = 1e-9
"""The share of a budget that rounding may leave unspent."""
_NONE = Fraction()


@dataclass(frozen=True)
class Account:
    """A budget and all that is paid from it."""

    budget: PrivacyBudget
    entries: tuple[AccountEntry, ...]
    adjacency: Adjacency = Adjacency.ZERO_OUT

    def __post_init__(self) -> None:
        number("δ", self.budget.delta, at_least=SMALLEST_DELTA, below=1.0)
        if len(self.entries) > MAX_ENTRIES:
            raise InvalidInput(
                f"The account has {len(self.entries)} entries, but it must have at most "
                f"{MAX_ENTRIES}."
            )
        total = sum(entry.count for entry in self.entries)
        if total > MAX_OCCASIONS:
            raise reject(
                "the number of trainings and releases", total, f"at most {spaced(MAX_OCCASIONS)}"
            )
        for place, entry in enumerate(self.entries, start=1):
            try:
                _check_adjacency(entry, self.adjacency)
            except InvalidInput as refused:
                raise InvalidInput(f"Entry {place}, {brief(entry.what)}: {refused}") from None


def _check_adjacency(entry: AccountEntry, adjacency: Adjacency) -> None:
    if entry.kind == "spent":
        converted(entry, adjacency)
    elif entry.adjacency not in (None, adjacency):
        raise reject(
            "adjacency",
            str(entry.adjacency),
            f"{adjacency}, that of the account; a figure of another one is entered as already "
            "spent",
        )
    else:
        is_training = entry.kind == "training"
        reason = refusal(entry.event(1.0), adjacency, "pld") if is_training else ""
        if reason := reason or unproved(entry.method, adjacency):
            raise InvalidInput(reason)


def converted(entry: AccountEntry, adjacency: Adjacency) -> tuple[Fraction, Fraction]:
    """Convert (ε, δ) of what is spent to the account's adjacency, or refuse if nothing is proved.

    One record replaced includes one blanked out: the blank is one of those that may replace it. A
    change made of two steps costs (2ε, (1 + e^ε) δ), by the definition applied twice: replacing is
    blanking out and filling in, or removing and adding; blanking out is removing and adding the
    blank.
    """
    assert entry.epsilon is not None
    assert entry.delta is not None
    entry_adjacency = entry.adjacency or adjacency
    one_step = entry_adjacency is adjacency or (entry_adjacency, adjacency) == (
        Adjacency.REPLACE_ONE,
        Adjacency.ZERO_OUT,
    )
    if one_step:
        return decimal(entry.epsilon), decimal(entry.delta)
    if adjacency is Adjacency.ADD_REMOVE:
        raise InvalidInput(
            f"adjacency is {brief(str(entry_adjacency))}, but under add-remove it must be "
            "add-remove too: the other says nothing about the number of records."
        )
    delta = entry.delta * (1.0 + math.exp(min(entry.epsilon, 700.0))) * ROUNDED_UP
    return 2 * decimal(entry.epsilon), decimal(min(delta, 1.0))


def spent_before(
    entries: Sequence[AccountEntry], adjacency: Adjacency
) -> tuple[Fraction, Fraction]:
    pairs = [converted(entry, adjacency) for entry in entries if entry.kind == "spent"]
    return sum((pair[0] for pair in pairs), _NONE), sum((pair[1] for pair in pairs), _NONE)


def _uncomposed_delta(times: Sequence[tuple[AccountEntry, int]], adjacency: Adjacency) -> Fraction:
    """δ of what is already spent and of models, which is added and not composed."""
    models = sum((decimal(entry.failing) * count for entry, count in times), _NONE)
    return spent_before([entry for entry, _ in times], adjacency)[1] + models


def _remaining_delta(delta: float, used: Fraction) -> float:
    return float(decimal(delta) - used) / ROUNDED_UP if used else delta


def _pure_sum(times: Iterable[tuple[AccountEntry, int]]) -> Fraction | None:
    """Σε of what has a known ε, beside what is spent; ``None`` where some of it has none."""
    total = _NONE
    for entry, count in times:
        if entry.kind in ("training", "release") or entry.proof == GAUSSIAN:
            return None
        if entry.kind != "spent":
            total += count * decimal(entry.epsilon or 0.0)
    return total


def composed(
    entries: Sequence[AccountEntry],
    delta: float,
    adjacency: Adjacency,
    extra: Sequence[tuple[AccountEntry, int]] = (),
    progress: Progress = silent,
) -> Guarantee:
    """ε of all entries together, the same in any order of them."""
    times = [*((entry, entry.count) for entry in entries), *extra]
    parts = _steps_of(times, adjacency)
    before, used = spent_before(entries, adjacency)[0], _uncomposed_delta(times, adjacency)
    rest = _remaining_delta(delta, used)
    by = "basic composition" if before or used else ""
    pure = _pure_sum(times)
    is_over = used > decimal(delta)
    if is_over or (rest < SMALLEST_DELTA and pure is None):
        over = f": {excess(used, decimal(delta))} too much" if is_over else ""
        reason = (
            f"The entries use δ = {plain(float(used))} by themselves, but all of the account has "
            f"{plain(delta)}{over}."
        )
        return Guarantee(None, None, adjacency, by, reason)
    if not parts:
        return Guarantee(named_above(before), delta, adjacency, by or "nothing is spent")
    certified = _certified(parts, rest, adjacency, progress, pure)
    if certified.epsilon is None:
        return certified
    title = f"{certified.by}, with {by}" if by else certified.by
    return Guarantee(_plus(certified.epsilon, before), delta, adjacency, title)


def _steps_of(times: Iterable[tuple[AccountEntry, int]], adjacency: Adjacency) -> tuple[Step, ...]:
    """All that is composed, in an order of its own."""
    counts = Counter[Step]()
    for entry, count in times:
        if step := entry.step(adjacency):
            counts[replace(step, count=1)] += step.count * count
    return tuple(replace(step, count=counts[step]) for step in sorted(counts, key=repr))


def _plus(epsilon: float, before: Fraction) -> float:
    return named_above(decimal(epsilon) + before) if math.isfinite(epsilon) else epsilon


def _certified(
    parts: tuple[Step, ...],
    delta: float,
    adjacency: Adjacency,
    progress: Progress,
    pure: Fraction | None,
) -> Guarantee:
    basic = ACCOUNTANTS["basic"].title
    summed = Guarantee(math.inf if pure is None else named_above(pure), delta, adjacency, basic)
    if delta < SMALLEST_DELTA:
        return summed
    if accountant(parts) == "gdp":
        return certify(_event(parts), delta, adjacency, "gdp")
    total = sum(step.count for step in parts)
    (exact,) = certify_along(
        parts, [total], delta, adjacency, lambda share: progress(share, "adding up")
    )
    # Of few pure releases the sum of their ε is no more, and has no rounding to a grid.
    return min(exact, summed, key=lambda guarantee: guarantee.bound)


def accountant(parts: Sequence[Step]) -> str:
    """The tightest that covers all steps: exact where every one is Gaussian without sampling."""
    unsampled = all(step.mechanism == "gaussian" and step.sampling == "none" for step in parts)
    return "gdp" if unsampled else "pld"


@lru_cache(maxsize=64)
def _event(parts: tuple[Step, ...]) -> Event:
    return Composed(tuple(Repeated(Gaussian(step.multiplier), step.count) for step in parts))


def with_noise(account: Account, progress: Progress = silent) -> tuple[AccountEntry, ...]:
    """Give each entry its noise: as typed, from an ε of its own, or from its share.

    Entries with a share get noise in the proportion of their shares, as little as keeps the whole
    account within its budget: a share is one of μ², estimated for a training by the central limit
    theorem. What the account then costs is composed like any other.
    """
    entries = [_from_epsilon(entry, account.budget.delta) for entry in account.entries]
    total = math.fsum(entry.share or 0.0 for entry in entries)
    if not total:
        return tuple(entries)
    fixed = [entry for entry in entries if entry.share is None]
    before = spent_before(fixed, account.adjacency)[0]
    used = _uncomposed_delta([(entry, entry.count) for entry in entries], account.adjacency)
    room = PrivacyBudget(
        max(account.budget.epsilon - float(before), NOTHING),
        max(account.budget.delta - float(used), 1e-300),
    )

    def scaled(amount: float) -> list[AccountEntry]:
        return [_from_share(entry, amount / total) for entry in entries]

    tries = 0

    def epsilon(amount: float) -> float:
        nonlocal tries
        progress(tries / (tries + 6), f"try {tries + 1}")
        tries += 1
        try:
            candidates = scaled(amount)
        except InvalidInput:
            return math.inf
        return composed(candidates, account.budget.delta, account.adjacency).bound

    typed = composed(fixed, account.budget.delta, account.adjacency).bound
    start = analytic_mu(room.epsilon, room.delta) ** 2
    # Pure ε is worth more than its μ² says: a single one may be the whole budget.
    search = Search(start * 1e-8, max(start * 4.0, 1.01 * room.epsilon**2), 2.0)
    amount = None
    if typed < account.budget.epsilon:
        amount = boundary(epsilon, account.budget.epsilon, start, search)
    if amount is None:
        raise InvalidInput(
            f"The entries with a noise of their own spend ε = {as_set(raised(typed, 3))}, but "
            f"less than {as_set(account.budget.epsilon)} must be spent for a share of the budget "
            "to be left."
            if math.isfinite(typed)
            else "The entries already spent leave no budget for those with a share."
        )
    return tuple(scaled(amount))


def _from_epsilon(entry: AccountEntry, delta: float) -> AccountEntry:
    if entry.proof == GAUSSIAN and entry.delta is None:
        return replace(entry, delta=delta)
    if entry.kind != "release" or entry.epsilon is None:
        return entry
    noise = raised(analytic_sigma(entry.epsilon, delta), DIGITS)
    return replace(entry, noise=noise, epsilon=None)


def _from_share(entry: AccountEntry, scale: float) -> AccountEntry:
    """The entry with the noise of its share; `scale` is μ² over the share."""
    if entry.share is None:
        return entry
    each = entry.share * scale / entry.count
    if entry.proof == GAUSSIAN:
        epsilon = float(analytic_epsilon(each**-0.5, entry.delta or 0.0))
        return replace(entry, share=None, epsilon=lowered(epsilon, DIGITS))
    if entry.kind in ("laplace", "model"):
        return replace(entry, share=None, epsilon=lowered(math.sqrt(each), DIGITS))
    if entry.kind == "release":
        return replace(entry, share=None, noise=raised(each**-0.5, DIGITS))
    (step,) = steps(entry.event(1.0))
    exponent = math.log1p(each / (step.rate**2 * step.count))
    return replace(entry, share=None, noise=raised(exponent**-0.5, DIGITS))


def shared(entry: AccountEntry) -> AccountEntry:
    """The entry with a share of the budget; what is already spent stays."""
    if entry.kind == "spent" or entry.share is not None:
        return entry
    return replace(entry, noise=None, epsilon=None, share=1.0)


FAR_MORE = 10.0
"""Times its noise from which on a last entry would pay for all the others."""


def fitted(account: Account, progress: Progress = silent) -> tuple[AccountEntry, ...]:
    """Give the last entry as little noise as keeps the budget; where that is far more, give all.

    Far more is `FAR_MORE` times what it has, as where the others alone break the budget. It is
    refused where nothing has noise, or what is already spent is more than the budget.
    """
    free = [place for place, entry in enumerate(account.entries) if entry.kind != "spent"]
    if not free:
        raise InvalidInput("All of it is already spent: there is no noise to add.")

    def with_shares(places: Sequence[int]) -> Account:
        each = enumerate(account.entries)
        shares = (shared(entry) if place in places else entry for place, entry in each)
        return replace(account, entries=tuple(shares))

    last = free[-1]
    before = account.entries[last].noise
    with suppress(InvalidInput):
        entries = with_noise(with_shares([last]), progress)
        after = entries[last].noise
        if before is None or after is None or after <= FAR_MORE * before:
            return entries
    return with_noise(with_shares(free), progress)


@dataclass(frozen=True)
class Room:
    """How many more like one entry still fit, each time with fresh noise."""

    entry: AccountEntry  # one time of it
    count: int  # at most `MAX_MORE`


@dataclass(frozen=True)
class Statement:
    """The account, added up."""

    account: Account
    entries: tuple[AccountEntry, ...]  # with the noise of each
    guarantee: Guarantee  # of all of them together
    alone: tuple[Guarantee, ...]  # of each by itself, all its times together
    table: pd.DataFrame  # a row a day: day, what, steps, epsilon_spent, epsilon_left, within

    @property
    def left(self) -> float:
        """ε of the budget that all entries leave; 0 where only rounding leaves any."""
        budget = self.account.budget.epsilon
        left = _rest(budget, self.guarantee.bound)
        return left if left > NOTHING * budget else 0.0

    @property
    def mu(self) -> float | None:
        """μ of all entries where both errors of an attack are at least δ.

        ``None`` of entries whose noise is not known, or that take a δ of their own.
        """
        delta, adjacency = self.account.budget.delta, self.account.adjacency
        if any(entry.kind == "spent" or entry.failing for entry in self.entries):
            return None
        parts = _steps_of([(entry, entry.count) for entry in self.entries], adjacency)
        return mu_of(parts, adjacency, delta) if parts else None

    @property
    def is_within(self) -> bool:
        """Whether the budget is kept."""
        return self.guarantee.bound <= self.account.budget.epsilon

    @property
    def breaks_on(self) -> date | None:
        """The first day on which more than the budget is spent; ``None`` without one."""
        over = self.table[~self.table["within"]]
        return None if over.empty else over["day"].iloc[0]

    def spent_by(self, day: date) -> float:
        """ε of all that happens up to a day."""
        past = self.table[self.table["day"] <= day]
        return float(past["epsilon_spent"].iloc[-1]) if len(past) else 0.0


def state(account: Account, progress: Progress = silent) -> Statement:
    """Add up the account, day by day; refuse it where nothing is left for entries with a share."""
    delta, adjacency = account.budget.delta, account.adjacency
    entries = with_noise(account, section(progress, 0.0, 0.4))
    total = composed(entries, delta, adjacency, progress=section(progress, 0.4, 0.2))
    alone = tuple(composed([entry], delta, adjacency) for entry in entries)
    table = _by_day(account, entries, total, section(progress, 0.6, 0.4))
    return Statement(account, entries, total, alone, table)


def _by_day(
    account: Account, entries: Sequence[AccountEntry], total: Guarantee, progress: Progress
) -> pd.DataFrame:
    """ε spent after each day; every one is at most that of all entries."""
    import pandas as pd

    budget, adjacency = account.budget, account.adjacency
    times = sorted(
        ((day, place) for place, entry in enumerate(entries) for day in entry.days()),
    )
    days = [(day, [place for _, place in group]) for day, group in groupby(times, lambda t: t[0])]
    parts, marks, before = [], [], []
    for _, places in days:
        for place in places:
            if step := entries[place].step(adjacency):
                parts.append(step)
        marks.append(sum(step.count for step in parts))
        before.append([entries[place] for place in places if entries[place].kind == "spent"])
    spent = [math.inf] * len(days)
    if total.epsilon is not None:
        # The δ that all of what is already spent leaves: before the last of it, more is free.
        rest = _remaining_delta(
            budget.delta, _uncomposed_delta([(each, each.count) for each in entries], adjacency)
        )
        by_mark = _along(parts, marks, rest, adjacency, progress)
        earlier = accumulate(before, lambda sum_, more: [*sum_, *more])
        pure = [_pure_sum((entries[place], 1) for place in places) for _, places in days]
        sums = accumulate(pure, lambda a, b: None if a is None or b is None else a + b)
        for at, (mark, past, sum_) in enumerate(zip(marks, earlier, sums, strict=True)):
            known = min(by_mark[mark], math.inf if sum_ is None else named_above(sum_))
            spent[at] = min(_plus(known, spent_before(past, adjacency)[0]), total.epsilon)
        spent[-1:] = [total.epsilon] * bool(spent)
    return pd.DataFrame(
        {
            "day": [day for day, _ in days],
            "what": [_together(entries, places) for _, places in days],
            "steps": [sum(entries[place].steps or 0 for place in places) for _, places in days],
            "epsilon_spent": spent,
            "epsilon_left": [_rest(budget.epsilon, epsilon) for epsilon in spent],
            "within": [epsilon <= budget.epsilon for epsilon in spent],
        }
    )


def _rest(budget: float, spent: float) -> float:
    """ε of a budget that is left, rounded down."""
    return named_below(decimal(budget) - decimal(spent)) if spent < budget else 0.0


def _along(
    parts: Sequence[Step],
    marks: Sequence[int],
    delta: float,
    adjacency: Adjacency,
    progress: Progress,
) -> dict[int, float]:
    """ε after each number of steps; nothing is spent after none."""
    wanted = sorted({mark for mark in marks if mark})
    epsilon_by_mark = {0: 0.0}
    if not wanted or delta < SMALLEST_DELTA:
        return dict.fromkeys(wanted, math.inf) | epsilon_by_mark
    if accountant(parts) == "gdp":
        ends = list(accumulate(step.count for step in parts))
        for mark in wanted:
            done = tuple(parts[: ends.index(mark) + 1])
            epsilon_by_mark[mark] = certify(_event(done), delta, adjacency, "gdp").bound
        return epsilon_by_mark
    guarantees = certify_along(
        _runs(parts), wanted, delta, adjacency, lambda share: progress(share, "day by day")
    )
    return epsilon_by_mark | {
        mark: each.bound for mark, each in zip(wanted, guarantees, strict=True)
    }


def _runs(parts: Sequence[Step]) -> list[Step]:
    """Equal steps that follow each other as one."""
    return [
        replace(kind, count=sum(step.count for step in group))
        for kind, group in groupby(parts, lambda step: replace(step, count=1))
    ]


def _together(entries: Sequence[AccountEntry], places: Sequence[int]) -> str:
    return ", ".join(
        entries[place].what if times == 1 else f"{entries[place].what} × {times}"
        for place, times in Counter(places).items()
    )


def room(statement: Statement, entry: AccountEntry, progress: Progress = silent) -> Room:
    """Count how many more like this entry fit; its own count does not matter."""
    account = statement.account
    one = replace(entry, count=1)
    tries = 0

    def epsilon(count: float) -> float:
        nonlocal tries
        progress(tries / (tries + 6), f"try {tries + 1}")
        tries += 1
        more = [(one, round(count))]
        return composed(statement.entries, account.budget.delta, account.adjacency, more).bound

    if not statement.left:
        return Room(one, 0)
    return Room(one, int(most(epsilon, account.budget.epsilon, 1, MAX_MORE) or 0))


def rooms(
    statement: Statement, usual: Sequence[AccountEntry] = (), progress: Progress = silent
) -> tuple[Room, ...]:
    """How many more fit: like the last training and the last release, or like the usual ones."""
    last = {entry.kind: entry for entry in (*usual, *statement.entries) if entry.kind != "spent"}
    share = 1.0 / max(1, len(last))
    return tuple(
        room(statement, entry, section(progress, index * share, share))
        for index, entry in enumerate(last.values())
    )


KINDS = ("dpgd", "decision-tree", "objpert")
"""A method of each kind of proof: Gaussian noise, pure ε, (ε, δ) alone."""


@dataclass(frozen=True)
class ModelRoom:
    """What is left for one model of a method."""

    method: str  # key of `dpcore.predictors`
    entry: AccountEntry | None  # at the largest ε that fits, rounded down
    reason: str = ""  # why there is none, in one sentence


def model_rooms(
    statement: Statement, methods: Sequence[str] = KINDS, progress: Progress = silent
) -> tuple[ModelRoom, ...]:
    """The largest ε of one more model, by method."""
    part = 1.0 / max(1, len(methods))
    return tuple(
        _model_room(statement, method, section(progress, place * part, part))
        for place, method in enumerate(methods)
    )


def _model_room(statement: Statement, method: str, progress: Progress) -> ModelRoom:
    try:
        wanted = AccountEntry("model", share=1.0, method=method)
        account = replace(statement.account, entries=(*statement.entries, wanted))
        return ModelRoom(method, with_noise(account, progress)[-1])
    except InvalidInput as refusal:
        return ModelRoom(method, None, str(refusal))
