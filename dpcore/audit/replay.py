"""Replay: does the noise of a private function cover what one record changes? Without statistics.

A function runs on data under watch (`dpcore.audit.watched`), and again on neighbouring data with
its randomness frozen. Whatever it releases then shows how far one record moves what noise is added
to: at most by the sensitivity that is claimed, if the claim is true. The second run is handed the
noisy values of the first, not its noise: so later steps are compared given the same past, as their
sensitivities are meant, and a distance in units of the noise is exactly how far the noise itself
would have to move. Squares of normal shifts add up to μ² of Gaussian DP. A run that handles values
without noise ends in another result; a scale or a path that follows the record shows, too.

Every alarm is a pair of data sets and draws that the claim does not allow, as long as every sum of
noise and value is released, and uniform draws are no noise where the results agree. What cannot be
watched is listed. A replay without an alarm proves nothing about other data or draws.

Compare Re:cord-play (arXiv 2602.17454, 2026), which re-executes instrumented mechanisms with the
same randomness: here unchanged code is watched, and later steps are compared given the same past.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.special import bdtrc

from dpcore.audit.watched import DivergedError, Meeting, Mix, Watch, raw, stacked
from dpcore.audit.watched_draws import watching
from dpcore.errors import number

TOLERANCE = 1e-6
"""Relative; for rounding in single precision."""
HARDLY = 1e-9
"""A probability below which a draw of batches is not chance."""
NORMS = {"normal": 2, "laplace": 1, "gumbel": np.inf, "other": 2, "mixed": 2}
Pairs = Sequence[tuple[Meeting, Meeting]]
_alone = threading.Lock()


@dataclass(frozen=True)
class NoiseCall:
    """One time that noise was added to a value, and what one record changed there."""

    line: str
    law: str
    scale: float  # the least of one number's
    distance: float  # of the two values, by the law's norm
    shift: float  # the same in units of the noise, given all that was released before


@dataclass(frozen=True)
class Replay:
    """What two runs on neighbouring data showed.

    Parameters
    ----------
    calls : tuple of NoiseCall
        Each with its line, law, scale, distance and shift, which is the distance over the scale.
    violations : tuple of str
        Each names a line.
    unwatched : tuple of str
        Where noise may be that is not seen.
    shift : float
        Of all normal noise together: no μ below it is true.
    """

    calls: tuple[NoiseCall, ...]
    violations: tuple[str, ...]
    unwatched: tuple[str, ...]
    shift: float


@dataclass(frozen=True)
class Claim:
    """What is claimed of noise: shifts, in its own units, by law."""

    shifts: Mapping[str, float] = field(default_factory=dict)  # of one call
    totals: Mapping[str, float] = field(default_factory=dict)  # of all calls together
    rate: float = 1.0  # with which a record takes part in a call


def replay(
    run: Callable[[Any], Any],
    first: Any,
    second: Any,
    *,
    sensitivity: float,
    sigma: float,
    mu: float = np.inf,
    rate: float = 1.0,
) -> Replay:
    """Run on `first` and again on `second`, its neighbour, with frozen noise, and compare.

    No statistics: what noise is added to is seen, and how far one record moves it. A replay without
    a violation proves nothing about other data.

    Parameters
    ----------
    run : callable
        (data) -> all that is released. It makes its own generators by `numpy.random.default_rng`,
        or draws by `numpy.random` or `torch`.
    first, second : any
        Neighbouring data of one size: in one of them a record may be blank.
    sensitivity : float
        How far a record may move what noise is added to, in L2 norm; in L1 norm for Laplace noise.
    sigma : float
        The scale of the noise. Only the quotient of the two counts, in any units.
    mu : float, optional
        What all normal noise together may cost, in Gaussian DP.
    rate : float, optional
        The sampling rate with which a record is said to take part in a step.

    Returns
    -------
    Replay

    Raises
    ------
    InvalidInput
        If a number is outside its range.
    """
    moved = number("sensitivity", sensitivity, above=0.0) / number("sigma", sigma, above=0.0)
    totals = {} if np.isinf(mu) else {"normal": number("mu", mu, above=0.0)}
    rate = number("rate", rate, above=0.0, at_most=1.0)
    return judge(run, first, second, Claim(dict.fromkeys(NORMS, moved), totals, rate))


def judge(
    run: Callable[[Any], Any], first: Any, second: Any, claim: Claim, public: Sequence[str] = ()
) -> Replay:
    """As `replay`, with a claim that differs by law; draws of `public` names are no noise."""
    with _alone:
        watch, other, differing, steered = _both(run, first, second)
        if steered:  # new zeros may be a count of nobody
            watch, other, differing, steered = _both(run, first, second, gathers=False)
    pairs = list(zip(watch.meetings, other.meetings, strict=False))
    violations: list[str] = []
    unwatched: list[str] = []
    clear = _clear(pairs, watch, unwatched)
    calls, reused = _calls(clear, watch)
    while reused is not None:
        clear = clear[: _first_with(clear, reused, unwatched)]
        calls, reused = _calls(clear, watch)
    totals = {
        law: float(np.linalg.norm([call.shift for call in calls if call.law == law], norm))
        for law, norm in (("normal", 2), ("laplace", 1), ("other", 1), ("gumbel", 1))
    }
    for (one, two), call in zip(clear, calls, strict=True):
        violations += _compared(one, two, call, claim)
    violations += [
        f"{calls[-1].line}: by then one record has moved all {law} noise by {totals[law]:.6g} of "
        f"its scale; {most:.6g} is claimed."
        for law, most in claim.totals.items()
        if totals[law] > most * (1.0 + TOLERANCE)
    ]
    took_part = sum(call.distance > 0.0 for call in calls)
    is_chance = watch.choices and bdtrc(took_part - 1, len(calls), claim.rate) >= HARDLY
    if claim.rate < 1.0 and took_part and not is_chance:
        violations.append(
            f"{calls[-1].line}: the record takes part in {took_part} of {len(calls)} calls; its "
            f"rate is said to be {claim.rate:.6g}."
        )
    lost = sorted({watch.origin[each][0] for each in watch.unused}) + watch.unclear(public)
    unwatched += [f"{line}: where the noise goes is not seen" for line in lost]
    if differing or steered:
        violations.append(
            steered
            or f"What is released {differing} though all noisy values are the same: "
            "something of the record bypasses the noise."
        )
        # Noise about a constant may be noise for a later value.
        may_be = [one for one, two in pairs if np.array_equal(one.value, two.value)]
        may_be = [one for one in may_be if one.law == "mixed" or np.ptp(one.value) == 0.0]
        if lost or may_be or len(clear) < len(pairs):
            unwatched += [f"not certain: {words}" for words in violations]
            violations = []
    once = dict.fromkeys
    return Replay(tuple(calls), tuple(once(violations)), tuple(once(unwatched)), totals["normal"])


def _both(
    run: Callable[[Any], Any], first: Any, second: Any, *, gathers: bool = True
) -> tuple[Watch, Watch, str, str]:
    """Both watches, how the second result differs, and how the record steers the run."""
    watch, other = Watch(gathers=gathers), Watch(gathers=gathers)
    result, other.first = _run(run, first, watch), watch
    if watch.unused:
        # What changes nothing is used: the first run is repeated with other such numbers.
        changed = Watch(changed=watch.unused, gathers=gathers)
        try:
            same = not _difference(result, _run(run, first, changed))
        except Exception:  # whatever it is, it came of these numbers
            same = False
        entered = [[each.value for each in one.meetings] for one in (watch, changed)]
        if same and not _difference(*entered):
            watch.used |= watch.unused
    try:
        differing = _difference(result, _run(run, second, other))
    except DivergedError as error:
        return watch, other, "", f"{error}: the record steers the run."
    less = len(watch.draws) + len(watch.meetings) > len(other.draws) + len(other.meetings)
    return watch, other, differing, "The record steers the run, to less noise." if less else ""


def _run(run: Callable[[Any], Any], data: Any, watch: Watch) -> list[Any]:
    with ExitStack() as stack:
        stack.enter_context(watching(watch))
        if "torch" in sys.modules:
            from dpcore.audit.watched_torch import watching_torch

            stack.enter_context(watching_torch(watch))
        return _leaves(run(data))


def _clear(pairs: Pairs, watch: Watch, unwatched: list[str]) -> Pairs:
    """The calls up to where noise and values are joined in another way than by a sum."""
    met: set[int] = set()
    # What follows noise that escapes may differ as it does.
    end = min((watch.origin[each][1] for each in watch.unused), default=len(pairs))
    pairs = pairs[:end]
    for place, (one, two) in enumerate(pairs):
        differs, several = not _is_same(one.mix, two.mix), one.mix.counts.max(initial=0) > 1
        numbers = set(one.mix.numbers.tolist())
        woven = differs and (several or bool(numbers & met - watch.repeated))
        if woven or (one.law == "mixed" and not np.array_equal(one.value, two.value)):
            return pairs[: _first_with(pairs, place, unwatched)]
        met |= numbers
    return pairs


def _first_with(pairs: Pairs, place: int, unwatched: list[str]) -> int:
    """The first place with noise of that at `place`: what follows are not releases one by one."""
    unwatched.append(
        f"{pairs[place][0].line}: noise and values are joined in a way that is not seen through; "
        "from there on nothing is compared"
    )
    numbers = pairs[place][0].mix.numbers
    return next(at for at in range(place + 1) if np.isin(pairs[at][0].mix.numbers, numbers).any())


def _calls(pairs: Pairs, watch: Watch) -> tuple[list[NoiseCall], int | None]:
    """Each call, and the place of one where nothing but noise of earlier calls is added again."""
    moved = [(two.value - one.value).ravel() for one, two in pairs]
    mixes, calls, start = [one.mix for one, _ in pairs], [], 0
    shifts = _shifts(stacked(mixes), np.concatenate(moved)) if pairs else np.zeros(0)
    for place, (one, _) in enumerate(pairs):
        shift, start = shifts[start : start + len(moved[place])], start + len(moved[place])
        again = np.isinf(shift).any() and watch.repeated.isdisjoint(one.mix.numbers.tolist())
        # The noise would do by itself, and is that of an earlier call, not drawn again.
        if again and np.isfinite(_shifts(one.mix, moved[place])).all():
            return [], place
        last = one.value.shape[-1] if one.value.ndim else 1
        distance, size = (_norm(values, one.law, last) for values in (moved[place], shift))
        calls.append(NoiseCall(one.line, one.law, _least_scale(one.mix), distance, size))
    return calls, None


def _shifts(mix: Mix, moved: Any) -> Any:
    """By how much of its noise each element moves, given those before; inf where none is left.

    In one component after the other, noise and distance are made orthogonal to what came before
    (Gram and Schmidt): what remains of the two is a release of its own.
    """
    small, scale = mix.matrix[1], mix.scales
    joined = sparse.block_array([[None, small], [small.T, None]])
    labels = connected_components(joined, directed=False)[1][: len(moved)]
    with np.errstate(divide="ignore", invalid="ignore"):
        result = np.where(moved == 0.0, 0.0, moved / scale)
    for label in np.flatnonzero(np.bincount(labels) > 1):
        at = np.flatnonzero(labels == label)
        if not moved[at].any():
            continue
        dense = mix.of(at).matrix[1].toarray()
        basis: list[Any] = []
        past: list[float] = []
        least = TOLERANCE * np.abs(moved[at]).max()
        for place, row in zip(at, dense, strict=True):
            known = np.array(basis).reshape(-1, dense.shape[1])
            along = known @ row
            rest, left = row - along @ known, moved[place] - along @ np.array(past)
            length = np.linalg.norm(rest)
            if length > TOLERANCE * scale[place]:
                basis.append(rest / length)
                past.append(left / length)
                result[place] = past[-1]
            else:
                result[place] = 0.0 if abs(left) <= least else np.inf
    return result


def _norm(values: Any, law: str, last: int) -> float:
    if law == "gumbel":  # the range of what one choice compares; choices add up
        return float(np.ptp(values.reshape(-1, last), axis=1).sum())
    return float(np.linalg.norm(values, NORMS[law]))


def _least_scale(mix: Mix) -> float:
    return float(mix.scales.min(initial=np.inf))


def _is_same(one: Mix, two: Mix) -> bool:
    same = np.array_equal(one.numbers, two.numbers)
    return same and np.allclose(one.factors, two.factors, TOLERANCE, 0.0)


def _compared(one: Meeting, two: Meeting, call: NoiseCall, claim: Claim) -> list[str]:
    """What of one call is not as it is claimed."""
    found, most = [], claim.shifts.get(call.law, np.inf)
    moves = f"{call.line}: one record moves what noise is added to by {call.distance:.6g}"
    if not _is_same(one.mix, two.mix):
        found.append(
            f"{one.line}: the noise follows the record: its scale is {call.scale:.6g}, and "
            f"{_least_scale(two.mix):.6g} for the neighbour."
        )
    if np.isinf(call.shift):
        found.append(f"{moves} where no noise of its own covers it.")
    elif call.shift > most * (1.0 + TOLERANCE):
        found.append(f"{moves}, but its claim allows {most * call.scale:.6g} for this noise.")
    return found


def _leaves(value: Any) -> list[Any]:
    """Every number, array and word in a result, in order."""
    if hasattr(value, "detach"):
        return [value.detach().cpu().numpy()]
    if isinstance(value, (np.ndarray, np.generic, int, float, str, bytes, type(None))):
        return [np.array(raw(value))]
    if hasattr(value, "__dict__") and not isinstance(value, type):
        value = vars(value)
    parts = value.items() if isinstance(value, Mapping) else value
    return [leaf for part in parts for leaf in _leaves(part)] if isinstance(parts, Iterable) else []


def _difference(first: list[Any], second: list[Any]) -> str:
    if [each.shape for each in first] != [each.shape for each in second]:
        return "has another shape"
    for one, two in zip(first, second, strict=True):
        numeric = one.dtype.kind in "biuf"
        if not np.array_equal(one, two, equal_nan=one.dtype.kind == "f"):
            most = np.nanmax(np.abs(one.astype(float) - two.astype(float))) if numeric else np.nan
            return f"changes by up to {most:.6g}" if numeric else "has other words"
    return ""
