"""A statement of privacy from elsewhere: its noisy steps, and what they are as they were done.

Steps are lines of "noise, rate, steps", with "laplace", "discrete-gaussian" or "discrete-laplace"
before them where the noise is not Gaussian. The noise is over the largest change by one record that
is added or removed. Opacus writes its steps down as an accountant's `state_dict()`, OpenDP a
measurement by `serialize`; the latter holds no sensitivity but where integers are clamped and
summed, or counted.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from dpcore.accounting.events import (
    LARGEST_MULTIPLIER,
    MAX_STEPS,
    MIN_MULTIPLIER,
    Composed,
    Event,
    FixedSampled,
    Gaussian,
    Laplace,
    PoissonSampled,
    Pure,
    Repeated,
    change,
)
from dpcore.errors import InvalidInput, cut, number, one_of, reject, whole
from dpcore.guarantee import Adjacency
from dpcore.words import spaced

LAWS = ("gaussian", "laplace", "discrete-gaussian", "discrete-laplace")
LARGEST_HISTORY = 1_000
USUAL = "1.1, 0.01, 1000"
MECHANISMS = ("rdp", "gdp", "prv")
"""Accountants of Opacus."""
CONVERSIONS = ("make_fix_delta", "make_zCDP_to_approxDP", "make_pureDP_to_zCDP", "make_approximate")
COMPOSITIONS = ("make_composition", "make_basic_composition")
FORMS = "an Opacus state_dict or an OpenDP measurement as JSON, or lines of “noise, rate, steps”"
NOISES = {"make_gaussian": "gaussian", "make_laplace": "laplace", "make_geometric": "laplace"}
"""What OpenDP makes a measurement by."""
FLOATS = {"f32", "f64"}


class StatedSteps(NamedTuple):
    """Equal noisy steps."""

    law: str
    noise: float
    rate: float = 1.0
    times: int = 1
    epochs: int = 0  # in which they are taken, where that is said


@dataclass(frozen=True)
class StatementStudy:
    """The noisy steps of a statement of privacy from elsewhere.

    Parameters
    ----------
    history : str
        "noise multiplier, sampling rate, steps", of several kinds of steps with ";" between them.
        The rate may be "256/60000" (batch and records), the steps "10 epochs". It may also be the
        JSON of an Opacus accountant's `state_dict()` or of an OpenDP measurement. It is kept in its
        short form.
    distance : float, optional
        Of an OpenDP measurement: how far one record moves what its noise is added to. Where it is
        left out that is 1, or as far as one moves the count or the sum of clamped integers that is
        in the measurement; other sums need it.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """

    history: str = USUAL
    distance: float | None = None

    entry: ClassVar[None] = None
    upload: ClassVar[str] = ""
    """It is about no records."""

    def __post_init__(self) -> None:
        steps = read(self.history, self.distance)
        object.__setattr__(self, "history", "; ".join(map(_written, steps)))
        object.__setattr__(self, "distance", None)

    @property
    def steps(self) -> tuple[StatedSteps, ...]:
        """The steps, in their order."""
        return read(self.history)

    @property
    def title(self) -> str:
        """The steps in words."""
        return self.history


def _written(steps: StatedSteps) -> str:
    law = "" if steps.law == LAWS[0] else f"{steps.law} "
    noise, rate = (repr(value).removesuffix(".0") for value in (steps.noise, steps.rate))
    times = f"{steps.epochs} epochs" if steps.epochs else steps.times
    return f"{law}{noise}, {rate}, {times}"


def read(text: str, distance: float | None = None) -> tuple[StatedSteps, ...]:
    """Read the steps of a statement: lines, or the JSON of Opacus or OpenDP."""
    if text.lstrip()[:1] not in ("{", "["):
        lines = [line for line in text.replace(";", "\n").splitlines() if line.strip()]
        found = [_line(line, f"line {place}") for place, line in enumerate(lines, start=1)]
    else:
        try:
            given = json.loads(text)
            found = _of_opacus(given) if "history" in given else list(_of_opendp(given, distance))
        except InvalidInput:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise reject("the statement", text, FORMS) from None
    whole("the number of kinds of steps", len(found), at_least=1, at_most=LARGEST_HISTORY)
    whole("steps", sum(steps.times for steps in found), at_least=1, at_most=MAX_STEPS)
    return tuple(found)


def _line(line: str, place: str) -> StatedSteps:
    first, *rest = (part.strip() for part in line.split(","))
    law, _, noise = first.rpartition(" ")
    if len(rest) > 2:
        raise reject(place, line.strip(), "“noise, rate, steps”")
    rate, steps = [*rest, "1", "1"][:2] if len(rest) != 1 else [rest[0], "1"]
    batch, divided, records = rate.partition("/")
    share = number(f"{place}: rate", batch, above=0.0)
    if divided:
        share /= number(f"{place}: records", records, above=0.0)
    epochs = 0
    if steps.endswith(("epoch", "epochs")):
        typed = steps.removesuffix("s").removesuffix("epoch").strip()
        epochs = whole(f"{place}: epochs", typed, at_least=1, at_most=MAX_STEPS)
        steps = str(epochs * math.ceil(1.0 / max(share, 1.0 / MAX_STEPS) - 1e-9))
    return _checked(place, law or LAWS[0], noise, share, steps)._replace(epochs=epochs)


def _checked(place: str, law: str, noise: object, rate: object, count: object) -> StatedSteps:
    limits = {"at_least": MIN_MULTIPLIER, "at_most": LARGEST_MULTIPLIER}
    one_of(f"{place}: law", law, LAWS)
    share = number(f"{place}: rate", rate, above=0.0, at_most=1.0)
    if share < 1.0 and law != LAWS[0]:
        raise reject(f"{place}: rate", share, f"1 for {law} noise")
    steps = whole(f"{place}: steps", count, at_least=1, at_most=MAX_STEPS)
    return StatedSteps(law, number(f"{place}: noise", noise, **limits), share, steps)


def _of_opacus(given: Any) -> list[StatedSteps]:
    history = given["history"]
    if "mechanism" in given:
        one_of("mechanism", given["mechanism"], MECHANISMS)
    if not isinstance(history, list):
        raise reject("history", history, "a list of [noise multiplier, sample rate, steps]")
    for place, row in enumerate(history):
        if not isinstance(row, list) or len(row) != 3:
            raise reject(f"history[{place}]", row, "[noise multiplier, sample rate, steps]")
    return [_checked(f"history[{at}]", LAWS[0], *row) for at, row in enumerate(history)]


def _of_opendp(given: Any, distance: float | None) -> Iterator[StatedSteps]:
    name = given.get("__function__") if isinstance(given, dict) else None
    inside = given.get("__kwargs__") if name else None
    known = (*NOISES, *CONVERSIONS, *COMPOSITIONS, "make_chain_mt", "make_chain_pm")
    if not isinstance(inside, dict):
        raise TypeError
    one_of("__function__", name, known)
    if name in NOISES:
        kinds = set(_kinds(given))
        if inside.get("k") is not None:
            raise reject(f"{name}: k", inside["k"], "null, which is the finest grid")
        law = NOISES[str(name)] if kinds and kinds <= FLOATS else f"discrete-{NOISES[str(name)]}"
        scale = number(f"{name}: scale", inside.get("scale"), above=0.0)
        moved = 1.0 if distance is None else number("distance", distance, above=0.0)
        yield _checked(str(name), law, scale / moved, 1.0, 1)
    elif name in COMPOSITIONS:
        for part in inside.get("measurements") or ():
            yield from _of_opendp(part, distance)
    elif name == "make_chain_mt":
        noisy = inside["measurement1"]
        if distance is None:
            distance = _reach(inside["transformation0"])
            one_of("measurement1", noisy["__function__"], tuple(NOISES))
        yield from _of_opendp(noisy, distance)
    else:
        part = "measurement0" if name == "make_chain_pm" else "measurement"
        yield from _of_opendp(inside.get(part), distance)


def _kinds(given: Any) -> Iterator[Any]:
    """Types of numbers in a measurement."""
    for name, value in given.items() if isinstance(given, dict) else ():
        if name in ("T", "TO") and value is not None:
            yield value
        yield from _kinds(value)


def _reach(given: Any) -> float:
    """How far one record more or less moves a count, or a sum of clamped integers."""
    names = []
    while isinstance(given, dict) and given.get("__function__") == "make_chain_tt":
        names.append(given["__kwargs__"]["transformation1"])
        given = given["__kwargs__"]["transformation0"]
    names.append(given)
    made = [str(each["__function__"]) for each in names]
    if made == ["make_count"]:
        return 1.0
    if made == ["make_sum", "make_clamp"] and not set(_kinds(names[1])) & FLOATS:
        bounds = names[1]["__kwargs__"]["bounds"]["__tuple__"]
        return max(abs(number("bounds", bound)) for bound in bounds)
    raise InvalidInput(
        "distance is missing, but it must be typed how far one record moves the sum: after "
        f"{cut(', '.join(made))} it is not derived, as sums of floats round; only counts and sums "
        "of clamped integers tell it."
    )


class Done(NamedTuple):
    """Steps as they were done: the event that accountants read, and what is to be said of it."""

    event: Composed | None  # None where nothing is proved
    why: str = ""
    is_exact: bool = True  # whether the worst records lose no less
    by: str = ""  # the accountant, where only one has a theorem


def as_done(
    steps: Sequence[StatedSteps], sampler: str, division: str, adjacency: Adjacency
) -> Done:
    """What a sampler and a division make of steps; nothing where no theorem covers them."""
    is_sampled = any(each.rate < 1.0 for each in steps)
    varies = adjacency is Adjacency.ADD_REMOVE
    if sampler == "weighted":
        return Done(
            None,
            "A weighted sampler draws some records more often than the rate says, and some twice "
            "(Opacus issue 813).",
        )
    if varies and division == "records":
        return Done(
            None,
            "It divides by the number of records, which is private under add-remove (Opacus issues "
            "571 and 819).",
        )
    if varies and is_sampled and (division == "actual" or sampler in ("shuffled", "ordered")):
        cause = (
            "It divides by the size of each batch, which tells whether a record is in it."
            if division == "actual"
            else "One record more moves others into other batches."
        )
        return Done(None, f"{cause} So nothing is proved under add-remove.")
    if is_sampled and sampler in ("shuffled", "ordered"):
        # An epoch that drops its last batch has the fewest steps.
        epochs = [
            each.epochs or -(-each.times // math.floor(1.0 / each.rate + 1e-9)) for each in steps
        ]
        full = [each._replace(rate=1.0, times=n) for each, n in zip(steps, epochs, strict=True)]
        is_whole = len(steps) == 1 and (
            steps[0].epochs > 0 or abs(1.0 / steps[0].rate - round(1.0 / steps[0].rate)) < 1e-6
        )
        return Done(
            _event(full, "none", adjacency),
            "Each record is in one batch an epoch, so sampling gains nothing: "
            f"{spaced(sum(epochs))} full steps count (jax_privacy pull request 272).",
            is_exact=sampler == "ordered" and is_whole,
        )
    if is_sampled and sampler == "poisson" and division == "actual":
        full = [each._replace(rate=1.0) for each in steps]
        return Done(
            _event(full, "none", adjacency),
            "It divides by the size of each batch, which tells who may be in it, so sampling gains "
            "nothing.",
            is_exact=False,
        )
    laws = {each.law for each in steps}
    return Done(
        _event(steps, sampler, adjacency),
        is_exact=laws <= {"gaussian", "laplace"},
        by="zcdp" if "discrete-gaussian" in laws else "",
    )


def _event(steps: Sequence[StatedSteps], sampler: str, adjacency: Adjacency) -> Composed:
    def one(each: StatedSteps) -> Event:
        if each.law == "laplace":
            return Laplace(each.noise)
        if each.law == "discrete-laplace":
            return Pure(change(adjacency) / each.noise)
        noise = Gaussian(each.noise)
        if each.rate == 1.0:
            return noise
        return (FixedSampled if sampler == "fixed" else PoissonSampled)(each.rate, noise)

    return Composed(tuple(Repeated(one(each), each.times) for each in steps))
