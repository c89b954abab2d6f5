"""A calendar of Gaussian releases under one budget: checked row by row, costed, and continued.

Each release is a query with Gaussian noise on all the records, without sampling, whose sensitivity
Δ includes the adjacency. The spent ε is exact for such releases (Gaussian DP), whatever rule sets
the noise: basic and zCDP composition leave some of the budget unspent.
"""

from __future__ import annotations

import math
import statistics
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from dpcore.accounting.accountants import certify
from dpcore.accounting.budget import split
from dpcore.accounting.events import Composed, Event, Gaussian, Repeated
from dpcore.errors import InvalidInput, number, reject, whole
from dpcore.guarantee import Adjacency, PrivacyBudget

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS, LONGEST_TITLE = 400, 60
FIRST_DAY, LAST_DAY = date(2000, 1, 1), date(2100, 12, 31)
MOST_REPEATS = 4096
USUAL_DAYS = 91
NOTHING = 1e-9
"""The share of a budget that rounding may leave unspent."""
BETWEEN_ROWS, BETWEEN_CELLS = ";", "~"


@dataclass(frozen=True)
class Planned:
    """One row of the calendar.

    Parameters
    ----------
    on : date
    title : str
    weight : float
        Its part of the budget, relative to the others'.
    sigma : float or None
        Typed noise, in the query's units; ``None`` where there is none.
    """

    on: date
    title: str
    weight: float
    sigma: float | None


def quarterly(year: int) -> tuple[Planned, ...]:
    """Four equal releases, one at the end of each quarter."""
    ends = ((3, 31), (6, 30), (9, 30), (12, 31))
    return tuple(
        Planned(date(year, month, day), f"Quarter {quarter}", 1.0, None)
        for quarter, (month, day) in enumerate(ends, start=1)
    )


def regular(
    number_each: int,
    every_days: int,
    intervals: int,
    first: date,
    *,
    title: str = "Release",
    sigma: float | None = None,
) -> list[dict[str, Any]]:
    """Rows, as if typed, of releases spread evenly over equal intervals.

    Parameters
    ----------
    number_each : int
        Releases in each interval; several fall on one day where they outnumber its days.
    every_days : int
        Length of an interval.
    intervals : int
    first : date
        Day of the first release.
    title : str
        Title of every row, followed by its number.
    sigma : float or None
        Noise of each release; every weight is 1.

    Raises
    ------
    InvalidInput
        If a number is out of range, there are more than `MOST_ROWS` releases, or the last of them
        comes after the year 2100.
    """
    number_each = whole("releases in an interval", number_each, at_least=1, at_most=MOST_ROWS)
    every_days = whole("days in an interval", every_days, at_least=1, at_most=36_525)
    intervals = whole("intervals", intervals, at_least=1, at_most=MOST_ROWS)
    count = number_each * intervals
    if count > MOST_ROWS:
        raise reject("the number of releases", count, f"at most {MOST_ROWS}")
    days = [timedelta(days=every_days * index // number_each) for index in range(count)]
    if days[-1] > LAST_DAY - first:
        raise reject("the day of the last release", "after 2100", f"at most {LAST_DAY}")
    return [
        {"date": first + offset, "what": f"{title} {index}", "weight": 1.0, "sigma": sigma}
        for index, offset in enumerate(days, start=1)
    ]


def read(
    rows: Sequence[Mapping[str, Any]], *, typed_noise: bool
) -> tuple[tuple[Planned, ...], list[str]]:
    """All the rows, or one sentence for each error in them.

    Parameters
    ----------
    rows : sequence of mapping
        Keys date, what, weight and sigma; cells as typed.
    typed_noise : bool
        Whether σ is needed in each row, rather than a weight.

    Returns
    -------
    (planned, sentences)
        One of them is empty: the cost of some rows could be mistaken for the cost of all.
    """
    if len(rows) > MOST_ROWS:
        return (), [f"The table has {len(rows)} rows, but it must have at most {MOST_ROWS}."]
    planned: list[Planned] = []
    errors: dict[str, list[int]] = {}
    noise, key = ("σ", "sigma") if typed_noise else ("weight", "weight")
    for row_number, row in enumerate(rows, start=1):
        values: dict[str, Any] = {"weight": 1.0, "sigma": None}
        for name, cell, check in (("date", "date", _day), (noise, key, _positive)):
            try:
                values[cell] = check(name, row.get(cell))
            except InvalidInput as error:
                errors.setdefault(str(error), []).append(row_number)
        if not errors:
            planned.append(
                Planned(values["date"], _title(row.get("what")), values["weight"], values["sigma"])
            )
    if errors:
        return (), [f"{_row_phrase(numbers)}, {sentence}" for sentence, numbers in errors.items()]
    return tuple(planned), []


def _row_phrase(numbers: Sequence[int]) -> str:
    """Ascending row numbers in words, neighbours as a range."""
    runs = [
        [row for _, row in run]
        for _, run in groupby(enumerate(numbers), lambda placed: placed[1] - placed[0])
    ]
    parts = [f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
    shown = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
    return f"Row {shown}" if len(numbers) == 1 else f"Rows {shown}"


def _title(cell: object) -> str:
    text = "" if cell is None or cell != cell else str(cell)
    return " ".join(text.split())[:LONGEST_TITLE] or "Release"


def _day(field: str, cell: object) -> date:
    try:
        day = date.fromisoformat(str(cell)[:10])
    except ValueError:
        raise reject(field, _shown(cell), "a day such as 2026-03-31") from None
    if not FIRST_DAY <= day <= LAST_DAY:
        raise reject(field, str(day), "a day from the years 2000 to 2100")
    return day


def _positive(field: str, cell: object) -> float:
    allowed = "a number above 0 and at most 1,000,000"
    if cell is None or cell != cell or cell == "":
        raise reject(field, "empty", allowed)
    return number(field, cell, above=0.0, at_most=1e6)


def _shown(cell: object) -> str:
    return "empty" if cell is None or cell != cell else str(cell)[:20]


@dataclass(frozen=True)
class Costed:
    """The calendar with its noise and its cost.

    Parameters
    ----------
    table : DataFrame
        One row per release by date: date, what, share (of the budget, nan for typed noise), sigma,
        epsilon_alone, epsilon_spent, epsilon_left, within.
    spent_on : date or None
        The release after which nothing of the budget is left; ``None`` if something is.
    exhausted_on : date or None
        The first release that does not fit, if the last one is repeated at the usual distance;
        ``None`` if thousands fit.
    fitting : int
        Number of such repetitions that fit after the table's own releases.
    every_days : int
        The usual distance.
    """

    table: pd.DataFrame
    spent_on: date | None
    exhausted_on: date | None
    fitting: int
    every_days: int


def cost(
    planned: Sequence[Planned],
    budget: PrivacyBudget,
    composition: str,
    sensitivity: float = 1.0,
    *,
    typed_noise: bool = False,
) -> Costed:
    """Noise and spending of every release, by date.

    Parameters
    ----------
    planned : sequence of Planned
        At least one.
    budget : PrivacyBudget
        For all of them together; δ above 0.
    composition : str
        "basic", "zcdp" or "pld": the rule that sets the noise; not used for typed noise.
    sensitivity : float
        Δ of each release (L2), for the chosen adjacency.
    typed_noise : bool
        Take each row's σ instead of splitting the budget by weight.

    Raises
    ------
    InvalidInput
        If there is no release, or a value is out of range.
    """
    import pandas as pd

    if not planned:
        raise InvalidInput("The calendar is empty, but it must hold at least one release.")
    number("δ", budget.delta, above=0.0, below=1.0)
    sensitivity = number("sensitivity Δ", sensitivity, above=0.0)
    ordered = sorted(planned, key=lambda release: release.on)
    days = [release.on for release in ordered]
    if typed_noise:
        sigmas = [number("σ", release.sigma, above=0.0) for release in ordered]
        shares = [math.nan] * len(ordered)
    else:
        weights = [release.weight for release in ordered]
        portions = split(budget, weights, composition, sensitivity).portions
        sigmas = [portion.sigma for portion in portions]
        shares = [portion.share for portion in portions]
    events = [Gaussian(sigma, sensitivity) for sigma in sigmas]
    spent = _spent(events, budget.delta)
    # A split is within budget by construction, but its ε may have rounding errors.
    is_within = [not typed_noise or epsilon <= budget.epsilon for epsilon in spent]
    spent = [
        budget.epsilon if fits and epsilon > budget.epsilon * (1.0 - NOTHING) else epsilon
        for epsilon, fits in zip(spent, is_within, strict=True)
    ]
    gone = [day for day, epsilon in zip(days, spent, strict=True) if epsilon >= budget.epsilon]
    spent_on = gone[0] if gone else None
    table = pd.DataFrame(
        {
            "date": days,
            "what": [release.title for release in ordered],
            "share": shares,
            "sigma": sigmas,
            "epsilon_alone": [_exact(event, budget.delta) for event in events],
            "epsilon_spent": spent,
            "epsilon_left": [max(0.0, budget.epsilon - epsilon) for epsilon in spent],
            "within": is_within,
        }
    )
    every_days = _usual_days(days)
    if all(is_within):
        fitting = _fitting(events, budget)
        exhausted_on = _after(days[-1], every_days, fitting)
    else:
        fitting, exhausted_on = 0, days[is_within.index(False)]
    return Costed(table, spent_on, exhausted_on, fitting, every_days)


def _exact(event: Event, delta: float) -> float:
    """ε of unsampled Gaussians; Δ includes the adjacency, so one record moves a query by Δ."""
    return certify(event, delta, Adjacency.ZERO_OUT, "gdp").bound


def _spent(events: Sequence[Event], delta: float) -> list[float]:
    """ε of each release together with all those before it."""
    counts, spent = Counter[Event](), []
    for event in events:
        counts[event] += 1
        together = Composed(tuple(Repeated(each, count) for each, count in counts.items()))
        spent.append(_exact(together, delta))
    return spent


def _usual_days(days: Sequence[date]) -> int:
    gaps = [(after - before).days for before, after in pairwise(days) if after > before]
    return round(statistics.median(gaps)) if gaps else USUAL_DAYS


def _fitting(events: Sequence[Event], budget: PrivacyBudget) -> int:
    """How many repetitions of the last release still fit."""

    def exceeds(count: int) -> bool:
        more = Composed((*events, Repeated(events[-1], count)))
        return _exact(more, budget.delta) > budget.epsilon

    return bisect_left(range(1, 2 * MOST_REPEATS), True, key=exceeds)


def _after(last: date, every_days: int, fitting: int) -> date | None:
    if fitting >= MOST_REPEATS:
        return None
    try:
        return last + timedelta(days=every_days * (fitting + 1))
    except OverflowError:
        return None


def to_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows in one line, for a link; cells as typed."""
    return BETWEEN_ROWS.join(
        BETWEEN_CELLS.join(_cell(row.get(key)) for key in ("date", "what", "weight", "sigma"))
        for row in rows
    )


def _cell(cell: object) -> str:
    if cell is None or cell != cell:
        return ""
    text = f"{cell:g}" if isinstance(cell, float) else str(cell)
    return text.replace(BETWEEN_ROWS, " ").replace(BETWEEN_CELLS, " ")[:LONGEST_TITLE]


def from_text(text: str) -> list[dict[str, Any]]:
    """The rows that `to_text` wrote.

    Raises
    ------
    InvalidInput
        If the text is anything else.
    """
    rows = []
    parts = text.split(BETWEEN_ROWS)
    if len(parts) > MOST_ROWS:
        raise InvalidInput(f"calendar has {len(parts)} rows, but it must have at most {MOST_ROWS}.")
    for index, part in enumerate(parts, start=1):
        cells = part.split(BETWEEN_CELLS)
        if len(cells) != 4:
            raise InvalidInput(
                f"Row {index} of the calendar has {len(cells)} cells, but it must have 4: date, "
                "what, weight and σ."
            )
        row: dict[str, Any] = {
            "date": _day(f"Row {index}, date", cells[0]) if cells[0] else None,
            "what": cells[1],
        }
        for key, name, cell in (("weight", "weight", cells[2]), ("sigma", "σ", cells[3])):
            row[key] = number(f"Row {index}, {name}", cell) if cell else None
        rows.append(row)
    return rows
