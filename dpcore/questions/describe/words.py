"""What is said of a table's summary: the answer at one ε, and the table as one reads it."""

from __future__ import annotations

from collections.abc import Iterator

from dpcore.questions.describe.question import ACCOUNTANT
from dpcore.questions.describe.summary import TableSummary
from dpcore.summaries import table_lines
from dpcore.summaries.estimates import CONFIDENCE, QUANTILES, READABLE, SHARE
from dpcore.summaries.mechanism import EVERYBODY
from dpcore.summaries.study import TableStudy
from dpcore.summaries.table_lines import TableLine
from dpcore.words import SPACE, counted, percent, plain, spaced

POINT = (
    "A point is a hundredth of what a number may be: of everybody for a share, of its public range "
    "for all others."
)
INTERVALS = (
    f"In brackets: between what the number lies for the population, in {percent(CONFIDENCE, 0)} of "
    "such tables. Chance and noise are both in it."
)
GRID = (
    "Quartiles are read off counts in the cells of a public grid: those of whole numbers may lie "
    "between two."
)
WIDEST = plain(100.0 * READABLE)


def points(value: float) -> str:
    """An error in points."""
    return f"±{SPACE}{plain(value, 2)} points"


def typical(summary: TableSummary, place: int) -> tuple[float, float]:
    """The median error of all numbers in points, and what of it would be left without noise."""
    rows = summary.at(place)
    return float(rows["error_points"].median()), float(rows["sampling_error_points"].median())


def worst(summary: TableSummary, place: int) -> tuple[float, str]:
    """The largest error in points, and whose it is."""
    rows = summary.at(place)
    row = rows.sort_values("error_points", kind="stable").iloc[-1]
    of = "" if row["group"] == EVERYBODY else f", of {summary.group_name(row['group'])}"
    return float(row["error_points"]), f"{row['number']}{of}"


def guarantee(study: TableStudy) -> str:
    """δ, adjacency and accountant in a few words."""
    assert study.delta is not None
    return f"δ = {plain(study.delta)} · {study.adjacency} · {ACCOUNTANT}"


def sentence(summary: TableSummary, place: int, number: str) -> str:
    """The answer at one ε: how wrong numbers are, and from where on one is as good as it gets."""
    error, sampling = typical(summary, place)
    rows = summary.at(place)
    noisy = int((~rows["readable"]).sum())
    told = (
        f"At ε = {plain(summary.stops[place])} a typical number of this table is good to "
        f"**{points(error)}**, without noise to {points(sampling)}."
    )
    if noisy:
        verb = "is" if noisy == 1 else "are"
        told += f" **{spaced(noisy)}** of {spaced(len(rows))} {verb} too noisy to read."
    found = summary.free_from(number)
    if found is None:
        return f"{told} Noise costs “{number}” something at every ε here."
    return f"{told} From ε = {plain(found)} on, noise costs “{number}” next to nothing."


def spoken(summary: TableSummary, place: int) -> str:
    """The answer at one ε in a few words, for who hears the cursor."""
    error, _ = typical(summary, place)
    return f"ε = {plain(summary.stops[place])}: typical error {plain(error, 2)} points"


def too_noisy(summary: TableSummary, place: int) -> str:
    """What the grey numbers are, and which ε would do; "" where there are none."""
    noisy = int((~summary.at(place)["readable"]).sum())
    if not noisy:
        return ""
    told = f"In grey: {counted(noisy, 'number')} too noisy to read, wider than ± {WIDEST} points."
    enough = summary.all_readable_from()
    if enough is None:
        return f"{told} No ε here would do for all of them; fewer groups or columns may."
    if enough <= summary.stops[place]:
        return f"{told} At this ε all are readable in most draws; this one was unlucky."
    return f"{told} ε = {plain(enough)} would do for all."


def on_grid(summary: TableSummary) -> str:
    """Where quartiles come from; "" where there are none."""
    return GRID if summary.at(0)["statistic"].isin(QUANTILES).any() else ""


def reached(summary: TableSummary, within: float) -> str:
    """Which ε has the noise on every share within so many points, and chance as well."""
    wanted = f"{plain(within)} {'point' if within == 1.0 else 'points'}"
    noise, both = (summary.shares_within(within, by_noise=alone) for alone in (True, False))
    if not summary.has_shares:
        return "This table has no shares."
    last = summary.at(len(summary.stops) - 1)
    shares = last[last["statistic"] == SHARE]
    if noise is None:
        least = float(shares["noise_error_points"].max())
        return (
            f"No ε here does: noise alone is still {points(least)} at "
            f"ε = {plain(summary.stops[-1])}."
        )
    told = f"**ε = {plain(noise)}** puts the noise on every share within {wanted}."
    if both is not None:
        return f"{told} With chance, as for the population, it takes ε = {plain(both)}."
    floor = float(shares["sampling_error_points"].max())
    if floor > within:
        return f"{told} Chance alone is {points(floor)} for the smallest group, whatever ε is."
    return f"{told} With chance, as for the population, no ε here does."


def lines(summary: TableSummary, place: int) -> Iterator[TableLine]:
    """The table at one ε, a line each."""
    return table_lines.lines(
        summary.at(place).to_dict("records"),
        summary.groups,
        by=summary.question.by,
        records=summary.records,
        records_are=summary.question.study.entry.records_are,
    )
