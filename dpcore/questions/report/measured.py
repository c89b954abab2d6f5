"""The sections computed from records: answer, measures, decisions, groups, data access."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pandas as pd

from dpcore.evaluation.baselines import LINEAR
from dpcore.evaluation.marks import ALL_BLANK
from dpcore.evaluation.scoring import BAND_ENDS, NOISE_DEVIATION, SPLIT_ERROR
from dpcore.figures.bands import band_of, in_band
from dpcore.figures.quality import WORDS as COMPARED_BY
from dpcore.questions.cost.words import few_records, headline
from dpcore.questions.decision_curve.question import TREAT_ALL
from dpcore.questions.groups.figure import WORDS as OF_GROUPS
from dpcore.questions.groups.figure import gaps
from dpcore.questions.groups.question import EVERYBODY, GAP
from dpcore.questions.report import specification
from dpcore.questions.report.findings import Findings, without_privacy
from dpcore.questions.report.parts import Curve, Part, ReportTable, Section, Sentences
from dpcore.words import capitalised, listed, percent, plain, spaced

Written = Callable[[float], str]


def _plain(value: float) -> str:
    return plain(round(value, 3))


def _count(value: float) -> str:
    return f"{value:.0f}"


WRITTEN: dict[str, tuple[str, Written]] = {
    "accuracy": ("Accuracy", percent),
    "balanced_accuracy": ("Balanced accuracy", percent),
    "auc": ("AUC", _plain),
    "missed_per_1000": ("Missed cases of 1 000", _count),
    "false_per_1000": ("False alarms of 1 000", _count),
    "rmse": ("RMSE", plain),
    "r2": ("R²", lambda value: plain(value, 2)),
}
WRITTEN |= {
    column: (capitalised(words.name), percent if words.percent else plain)
    for column, words in COMPARED_BY.items()
    if column not in WRITTEN
}
"""Name of each measure of a table of curves, and how it is written; not all are in each table."""
NOT_COMPUTED = "Not computed for this report."


def answer(findings: Findings) -> Section:
    """The whole report in two sentences."""
    sentence = headline(
        findings.row,
        subject=findings.method.title,
        cost=findings.cost,
        guess=findings.compared.guess,
        records_are=findings.entry.records_are,
    )
    lines = (sentence, findings.cost.sentence)
    return Section("Answer", (Sentences(lines, measured=True),), wide=True)


def measures(findings: Findings) -> Section:
    """Every measure with its band and both errors, beside the model without privacy."""
    row, compared = findings.row, findings.compared
    names = [name for name in WRITTEN if name in row.index]
    caption = (
        f"At ε = {plain(findings.epsilon)}. {in_band(int(row['runs']), splits=int(row['splits']))} "
        "“Noise” is the standard deviation that the noise gives one model, “test records” the "
        "standard error that their choice leaves of the mean"
        + (
            "; of one split it is not known, but the last column is."
            if findings.splits == 1
            else "."
        )
    )
    grid = ReportTable(
        caption,
        (
            "Measure",
            "With privacy",
            capitalised(band_of(row)),
            "Noise ±",
            "Test records ±",
            f"Without privacy ({compared.model})",
            "95 % on new records",
        ),
        tuple(_measure(findings, name) for name in names),
    )
    quality = findings.quality
    lines = [
        f"{quality.words.guessing.capitalize()}: {quality.shown(compared.guess)}.",
        few_records(compared.value, compared.between, findings.judged, quality),
        ALL_BLANK if findings.split.records and math.isnan(float(row[quality.column])) else "",
    ]
    notes = Sentences(tuple(line for line in lines if line), measured=True)
    return Section("Measures", (grid, curve(findings), notes), wide=True)


def _measure(findings: Findings, name: str) -> tuple[str, ...]:
    row, compared = findings.row, findings.compared
    title, written = WRITTEN[name]
    unit = compared.measure.unit if name == compared.measure.column else ""
    low, high = (row.get(f"{name}{end}", math.nan) for end in BAND_ENDS)
    new_records = compared.ranges.get(name, (math.nan, math.nan))
    reference = compared.measured.get(name, math.nan)
    return (
        f"{title} ({unit})" if unit else title,
        _known(row[name], written),
        _between(low, high, written),
        _known(row.get(f"{name}{NOISE_DEVIATION}", math.nan), _error(written)),
        _known(row.get(f"{name}{SPLIT_ERROR}", math.nan), _error(written)),
        _known(reference, written)
        + _after(compared.split_errors.get(name, math.nan), _error(written)),
        _between(*new_records, written),
    )


def _error(written: Written) -> Written:
    if written is percent:
        return lambda value: f"{100.0 * value:.1f} points"
    return (lambda value: f"{value:.1f}") if written is _count else written


def _known(value: float, written: Written) -> str:
    return written(float(value)) if math.isfinite(value) else "–"


def _between(low: float, high: float, written: Written) -> str:
    if not (math.isfinite(low) and math.isfinite(high)):
        return "–"
    ends = [written(float(end)) for end in (low, high)]
    return f"{ends[0].removesuffix(' %')} to {ends[1]}"


def _after(error: float, written: Written) -> str:
    return f" ± {written(float(error))}" if math.isfinite(error) else ""


def curve(findings: Findings) -> Curve:
    """The measure of the method against ε."""
    quality, column = findings.quality, findings.quality.column
    points = tuple(
        (
            float(row["epsilon"]),
            *(float(row[f"{column}{end}"]) for end in ("", *BAND_ENDS)),
        )
        for _, row in findings.line.sort_values("epsilon").iterrows()
    )
    guess, value = findings.compared.guess, findings.compared.value
    shown = "; ".join(f"{plain(epsilon)}: {quality.shown(mean)}" for epsilon, mean, *_ in points)
    return Curve(
        points=points,  # type: ignore[arg-type]
        chosen=findings.epsilon,
        levels=(
            (f"without privacy: {quality.shown(value)}", value),
            (f"{quality.words.guess}: {quality.shown(guess)}", guess),
        ),
        axis=quality.title,
        percent=quality.percent,
        sentence=(
            f"{quality.title} on test records against ε. The band holds {band_of(findings.row)}."
        ),
        alt=(
            f"{quality.title} of {findings.method.title} on test records against ε, with the band "
            f"of single runs. By ε: {shown}. Without privacy: {quality.shown(value)}; "
            f"{quality.words.guess}: {quality.shown(guess)}."
        ),
    )


OF_RISKS: tuple[tuple[str, str, Written], ...] = (
    ("Calibration slope (1 is right)", "calibration_slope", _plain),
    ("Intercept (0 is right)", "calibration_intercept", _plain),
    ("Calibration error", "calibration_error", percent),
)
OF_DECISIONS: tuple[tuple[str, str, Written], ...] = (
    ("Net benefit", "net_benefit", _plain),
    ("Sensitivity", "true_positive_rate", percent),
    ("Specificity", "true_negative_rate", percent),
    ("Predictive value", "predictive_value", percent),
    ("Missed cases of 1 000", "missed_per_1000", _count),
    ("False alarms of 1 000", "false_per_1000", _count),
)


def decisions(findings: Findings) -> Section:
    """Calibration of the risks, and net benefit of decisions by them."""
    title = "Calibration and net benefit"
    rows, caption = [], ""
    if findings.reliability is not None:
        one, other = _pair(findings, findings.reliability)
        rows += [_row(*kind, one, other) for kind in OF_RISKS]
    if findings.decisions is not None:
        here = findings.decisions[findings.decisions["threshold"] == findings.threshold]
        one, other = _pair(findings, here)
        rows += [_row(*kind, one, other) for kind in OF_DECISIONS]
        everybody = here[here["method"] == TREAT_ALL].iloc[0]
        caption = (
            f"Net benefit and below: who acts from a risk of {percent(findings.threshold, 0)} on. "
            "Treating everybody has a net benefit of "
            f"{_known(everybody['net_benefit'], _plain)}, nobody 0."
        )
    if not rows:
        return Section(title, (Sentences((NOT_COMPUTED,)),))
    columns = ("Measure", "With privacy", capitalised(band_of(one)), "Without")
    return Section(
        title, (*specification.corrected(findings), ReportTable(caption, columns, tuple(rows)))
    )


def _pair(findings: Findings, table: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Rows of the model and of the one without privacy."""
    return findings.of_model(table).iloc[0], without_privacy(table).iloc[0]


def _row(
    title: str, column: str, written: Written, one: pd.Series, other: pd.Series
) -> tuple[str, ...]:
    low, high = one[f"{column}_low"], one[f"{column}_high"]
    return (
        title,
        _known(one[column], written),
        _between(low, high, written),
        _known(other[column], written),
    )


MAX_NAMED = 3
"""Groups that are named where they are left out."""
COMPARED = ("missed_per_1000", "false_per_1000")
"""The measures of groups in a report."""


def groups(findings: Findings) -> Section:
    """What deciding means to groups of people."""
    title = "Groups of people"
    if findings.groups is None:
        return Section(title, (Sentences((NOT_COMPUTED,)),))
    own, other = findings.of_model(findings.groups), without_privacy(findings.groups)
    column, threshold = own["column"].iloc[0], float(own["threshold"].iloc[0])
    # Rates of a few people would reveal whose they are.
    few = own["group"].isin(_omitted_groups(own))
    rows = []
    for group in dict.fromkeys(own.loc[~few, "group"]):
        cells: list[str] = []
        for measure in COMPARED:
            one, reference = (_of_group(table, group, measure) for table in (own, other))
            shown = OF_GROUPS[measure].shown
            ends = _between(one["value_low"], one["value_high"], shown)
            cells += [f"{_known(one['value'], shown)} ({ends})", _known(reference["value"], shown)]
        rows.append((group, "" if group == GAP else spaced(int(one["people"])), *cells))
    caption = (
        f"By {column}: missed cases and false alarms of 1 000 people of the group, with and "
        f"without privacy; who acts from a risk of {percent(threshold, 0)} on. In brackets: "
        f"{band_of(own.iloc[0])}."
    )
    heads = ("Group", "People", "Missed", "without", "Alarms", "without")
    names = [name for name in dict.fromkeys(own.loc[few, "group"]) if name != GAP]
    which = listed(names) if len(names) <= MAX_NAMED else f"{len(names)} groups"
    omission = (
        f"Left out, as too few or so that those of too few do not follow: {which}."
        if names
        else "No group is left out."
    )
    grid = ReportTable(caption, heads, tuple(rows))
    note = Sentences((omission,), measured=True)
    return Section(title, (*specification.corrected(findings), grid, note))


def _of_group(table: pd.DataFrame, group: str, measure: str) -> pd.Series:
    rows = gaps(table, measure) if group == GAP else table[table["measure"] == measure]
    return rows[rows["group"] == group].iloc[0]


def _omitted_groups(own: pd.DataFrame) -> set[str]:
    """The groups of a table that are left out.

    Groups of too few people are left out. Their total follows from everybody's and the other
    groups', so the smallest other group is left out, too, and the widest gap, which depends on all
    groups. Groups of nobody need no other one to hide them.
    """
    rows = own[~own["group"].isin([EVERYBODY, GAP])]
    groups = rows.groupby("group")[["people", "too_small"]].first()
    few, others = groups[groups["too_small"]], groups[~groups["too_small"]]
    omitted = set(map(str, few.index))
    if not few["people"].any():
        return omitted
    smallest = {str(others["people"].idxmin())} if len(others) else set()
    return omitted | smallest | {GAP}


def looking(findings: Findings) -> Section:
    """What was computed from records for this report, in plain words."""
    split, compared = findings.split, findings.compared
    lines = [
        "Every part of this file with a bar at its side was computed from records, and no ε covers "
        "it. Who may not see the records may not see these parts either, unless the records are "
        "published.",
        f"Records were read: {spaced(split.records)} to learn from and {spaced(split.tested)} to "
        f"test on {specification.each_split(findings)}. Models were trained many times; none was "
        "kept.",
        f"The method was chosen {findings.chosen}.",
        "The model without privacy was tuned on these records by cross-validation: its λ, and "
        "whether a linear model or boosted trees stand for it.",
        "The noise behind the measures came from a seed, which is not in this file: they show what "
        "to expect of a release, and are none.",
        "No ε here covers the low bits of a release’s numbers, nor the time that a training takes.",
    ]
    read = [*split.notes]
    if not math.isnan(findings.positive_per_1000):
        read.append(
            f"Of 1 000 test records {findings.positive_per_1000:.0f} are positive "
            f"({findings.entry.positive})."
        )
    if compared.model != LINEAR:
        linear = compared.linear[findings.quality.column]
        read.append(f"The linear model without privacy: {findings.quality.shown(linear)}.")
    parts: Sequence[Part] = (
        Sentences(tuple(lines)),
        Sentences(tuple(read) or ("Nothing was clipped or filled in.",), measured=True),
    )
    return Section("What was not private in the looking", tuple(parts))
