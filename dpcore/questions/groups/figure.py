"""What decisions mean to groups of people: each group with and without privacy, and the gap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.evaluation.clinic.groups import MIN
from dpcore.evaluation.clinic.risks import REFERENCE
from dpcore.figures.bands import Row, spread
from dpcore.figures.canvas import (
    LEGEND,
    ROW,
    add_band,
    add_curve,
    add_rule,
    add_scatter,
    axis,
    canvas,
    cut,
    each,
    single_runs,
)
from dpcore.figures.curves import ReferenceLine, add_references, against_epsilon, guarantee_of
from dpcore.figures.drawn import Drawn
from dpcore.figures.escape import literal
from dpcore.figures.style import NEUTRAL, faded, look
from dpcore.questions.groups.question import EVERYBODY, GAP, MEASURE, GroupsQuestion
from dpcore.questions.shown import Chosen, Shown
from dpcore.words import capitalised, difference_at, listed, plain, spaced, uncapitalised

MAX_NAMED = 2
HARDLY_ANY = 0.05
"""Share of a group's cases up to which a model without privacy finds hardly any."""
SENSITIVITY = "true_positive_rate"
OF_CASES = ("missed_per_1000", SENSITIVITY)
"""Measures that privacy cannot make worse where no case is found without it."""
FAINT = 0.35


@dataclass(frozen=True)
class MeasureFormat:
    noun: str
    harm: int  # 1 where more is worse, -1 where less is, 0 where neither is
    kind: str = "share"

    def shown(self, value: float) -> str:
        """A value, with the decimals of its kind."""
        if value != value:
            return "–"
        if self.kind == "1000":
            text = f"{value:z.0f}"
        else:
            text = f"{value:z.3f}" if self.kind == "area" else f"{100.0 * value:z.1f} %"
        return text.replace("-", "−")

    def change(self, value: float, reference: float) -> float:
        """The difference as it is shown: of the shown values, in people, points or area."""
        if self.kind == "share":
            return difference_at(100.0 * value, 100.0 * reference, 1)
        return difference_at(value, reference, 0 if self.kind == "1000" else 3)

    def gap(self, highest: float, lowest: float) -> float:
        """`change` in the unit of the values."""
        return self.change(highest, lowest) / (100.0 if self.kind == "share" else 1.0)

    def changed(self, change: float) -> str:
        """A difference in words."""
        if not change:
            return "no change"
        size, more = plain(abs(change)), change > 0.0
        if self.kind == "1000":
            return f"{size} {'more' if more else 'fewer'} of 1 000"
        return f"{size}{' points' if self.kind == 'share' else ''} {'more' if more else 'less'}"


WORDS: Mapping[str, MeasureFormat] = {
    "missed_per_1000": MeasureFormat("missed cases", 1, "1000"),
    "false_per_1000": MeasureFormat("false alarms", 1, "1000"),
    "true_positive_rate": MeasureFormat("sensitivity", -1),
    "true_negative_rate": MeasureFormat("specificity", -1),
    "accuracy": MeasureFormat("accuracy", -1),
    "auc": MeasureFormat("AUC", -1, "area"),
    "selection_rate": MeasureFormat("the share treated", 0),
}
DETAIL = (
    f"A group with fewer than {MIN} cases or {MIN} others among the test records is drawn "
    f"faint. Of {MIN} people, the 95 % interval of a share of one half is 40 points wide. "
    "Bands hold what noise does, and not which people happen to be tested. "
    "The group that loses most is found by looking, so its loss tends to be overstated."
)
SEVERAL = "the best at each ε"
"""Name of a line that is one method's here and another's there."""
GAP_DETAIL = (
    "The gap is the largest less the smallest value of the groups in the picture above. "
    "The band holds the difference between the same two groups in single runs. "
    "Below 0 noise has turned it round. "
    "Groups that are too small for one of the models are left out for all. "
    "A model that is wrong for everybody alike has no gap. "
    "Also fair decisions show a gap, as groups differ by chance and in how many have the condition."
)


def of_groups(
    model: pd.DataFrame, without: pd.DataFrame, measure: str, *, dark: bool = False
) -> Drawn:
    """A measure of each group at one ε, compared with the model without privacy."""
    words, rows = WORDS[measure], _paired(model, without, measure)
    first, style = rows.iloc[0], look(model["method"].iloc[0])
    names = [_named(row) for row in each(rows)]
    most = rows[["value", "value_high", "reference"]].max().max()
    least = rows[["value", "value_low", "reference"]].min().min()
    room = 0.06 * (float(most - least) or 1.0)
    figure = canvas(
        110 + ROW * len(rows),
        dark,
        keeps_zoom=False,
        hovermode="closest",
        showlegend=True,
        legend=LEGEND,
        fixed=True,
        xaxis=axis(
            words.noun + (" of 1 000" if words.kind == "1000" else ""),
            range=[least - room, most + room] if most == most else None,
            tickformat=".0%" if words.kind == "share" else None,
        ),
        yaxis=axis(
            "",
            range=[len(rows) - 0.5, -0.5],
            tickvals=list(range(len(rows))),
            ticktext=names,
        ),
    )
    rows = rows.assign(place=range(len(rows)))
    baseline = f"without privacy: {without['baseline'].iloc[0]}"
    grey = [faded(NEUTRAL, FAINT) if small else NEUTRAL for small in rows["too_small"]]
    add_scatter(
        figure,
        x=rows["reference"],
        y=rows["place"],
        mode="markers",
        name=baseline,
        marker={"symbol": "diamond-open", "size": 12, "color": grey, "line": {"width": 2}},
        hovertext=[
            f"<b>{name}</b> {words.shown(value)}<br>without privacy"
            for name, value in zip(names, rows["reference"], strict=True)
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    model_name = f"{first['title']}, ε = {plain(first['epsilon'])}"
    for small, name in ((False, model_name), (True, "too small to say")):
        part = rows[rows["too_small"] == small]
        if part.empty:
            continue
        colour = faded(style.on(dark), FAINT) if small else style.on(dark)
        add_scatter(
            figure,
            x=part["value"],
            y=part["place"],
            mode="markers",
            name=name,
            marker={"symbol": style.marker, "size": 10, "color": colour},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": part["value_high"] - part["value"],
                "arrayminus": part["value"] - part["value_low"],
                "color": colour,
                "thickness": 2,
                "width": 5,
            },
            hovertext=[
                f"<b>{names[row['place']]}</b> {words.shown(row['value'])}"
                f"{single_runs(row['value_low'], row['value_high'], words.shown, row)}"
                f"<br>{guarantee_of(row)}"
                for row in each(part)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    statement = uncapitalised(hurt(model, without, measure))
    sentence = f"At ε = {plain(first['epsilon'])}, {statement}"
    alt = f"{capitalised(words.noun)} of each group, with and without privacy."
    return Drawn(figure, sentence, f"{alt} {sentence}", DETAIL)


def hurt(model: pd.DataFrame, without: pd.DataFrame, measure: str) -> str:
    """The group that privacy hurts most, against everybody, and those too small; in sentences."""
    words, rows = WORDS[measure], _paired(model, without, measure)
    rows = rows.assign(
        change=[words.change(*ends) for ends in zip(rows["value"], rows["reference"], strict=True)]
    )
    everybody = rows[rows["group"] == EVERYBODY].iloc[0]
    groups = rows[rows["group"] != EVERYBODY]
    judged = groups[~groups["too_small"] & groups["change"].notna()]
    sensitivity = without[without["measure"] == SENSITIVITY].set_index("group")["value"]
    found = judged["group"].map(sensitivity)
    if measure in OF_CASES and len(judged) and (found <= HARDLY_ANY).all():
        told = _nothing_found(float(sensitivity[EVERYBODY]))
    else:
        told = _worst(words, judged, everybody)
    return " ".join(filter(None, [told, _small(groups)]))


def _nothing_found(share: float) -> str:
    return (
        f"The comparison says nothing of missed cases: without privacy {plain(100.0 * share)} % "
        "of cases are found. Privacy cannot lower that by much. A lower threshold finds more."
    )


def _worst(words: MeasureFormat, judged: pd.DataFrame, everybody: pd.Series) -> str:
    if judged.empty:
        return "Every group is too small to say anything of it."
    harm = judged["change"] * words.harm if words.harm else judged["change"].abs()
    row = judged.iloc[int(harm.to_numpy().argmax())]
    for_all = f"for everybody: {words.changed(everybody['change'])}"
    if len(judged) == 1:
        noun = capitalised(words.noun)
        changes = f"{words.changed(row['change'])}; {for_all}"
        return f"Only {row['group']} is large enough. {noun} there: {changes}."
    verb = {1: "raises", -1: "lowers", 0: "changes"}[words.harm]
    if harm.max() <= 0.0:
        return f"Privacy {verb} {words.noun} for no group that is large enough; {for_all}."
    shown = words.shown
    return (
        f"Privacy {verb} {words.noun} most for {row['group']}: {words.changed(row['change'])}, "
        f"{shown(row['value'])} instead of {shown(row['reference'])}. "
        f"{spread(row, shown(row['value_low']), shown(row['value_high']))} {capitalised(for_all)}."
    )


def _small(groups: pd.DataFrame) -> str:
    groups = groups[groups["group"] != EVERYBODY]
    names = groups.loc[groups["too_small"], "group"].tolist()
    if not names or len(names) == len(groups):
        return ""
    if len(names) > MAX_NAMED:
        return f"{len(names)} of {len(groups)} groups are too small to say."
    return f"Too small to say: {listed(names)}."


def gap(
    line: pd.DataFrame, without: pd.DataFrame, measure: str, epsilon: float, *, dark: bool = False
) -> Drawn:
    """The widest gap between groups against ε."""
    words = WORDS[measure]
    rows, others = gaps(line, measure).sort_values("epsilon"), gaps(without, measure)
    reference = float(others["value"].iloc[0])
    title = f"gap in {words.noun}" + (" of 1 000" if words.kind == "1000" else "")
    ends = [*rows[["value_low", "value_high"]].stack().dropna(), *others["value"].dropna(), 0.0]
    figure = against_epsilon(
        title=title,
        low=1.1 * min(ends),
        high=1.1 * max(ends) or 1.0,
        percent=words.kind == "share",
        dark=dark,
    )
    row = rows[rows["epsilon"] == epsilon].iloc[0]
    if row["value"] != row["value"]:
        sentence = "Fewer than two groups are large enough to compare."
        return Drawn(figure, sentence, f"Empty axes. {sentence}", GAP_DETAIL)
    style, shown = look(rows["method"].iloc[0]), words.shown
    band_ends = rows["epsilon"], rows["value_low"], rows["value_high"]
    add_band(figure, *band_ends, style.on(dark), showlegend=False)
    hover = [
        f"<b>{row['title']}</b> at ε = {plain(row['epsilon'])}: {shown(row['value'])}"
        f"{single_runs(row['value_low'], row['value_high'], shown, row)}"
        f"<br>{guarantee_of(row)}"
        for row in each(rows)
    ]
    curve = rows["epsilon"], rows["value"], style, hover
    name = rows["title"].iloc[0] if rows["title"].nunique() == 1 else SEVERAL
    add_curve(figure, *curve, size=6, dark=dark, name=name)
    add_references(figure, [ReferenceLine(f"without privacy: {shown(reference)}", reference)])
    add_rule(figure, x=epsilon, color=NEUTRAL, dash="dot", width=1)
    of_people = " of 1 000" if words.kind == "1000" else ""
    sentence = (
        f"At ε = {plain(epsilon)} the widest gap in {words.noun} between groups is "
        f"{shown(row['value'])}{of_people} with {row['title']}. "
        f"{_between(line[line['epsilon'] == epsilon], measure)} "
        f"{spread(row, shown(row['value_low']), shown(row['value_high']))} "
        f"Without privacy it is {shown(reference)}."
    )
    left_out = _small(_paired(line[line["epsilon"] == epsilon], without, measure))
    sentence = f"{sentence} {left_out}".rstrip()
    return Drawn(figure, sentence, f"The widest gap against ε. {sentence}", GAP_DETAIL)


def gaps(rows: pd.DataFrame, measure: str) -> pd.DataFrame:
    """The rows of the widest gap, each the difference of the values that are shown of groups."""
    by_epsilon = _compared(rows, measure).groupby("epsilon", dropna=False)["value"]
    shown = by_epsilon.agg(lambda values: WORDS[measure].gap(values.max(), values.min()))
    found = rows[(rows["measure"] == measure) & (rows["group"] == GAP)]
    value = found["epsilon"].map(shown).where(found["value"].notna())
    return found.assign(
        value=value,
        value_low=found["value_low"].clip(upper=value),
        value_high=found["value_high"].clip(lower=value),
    )


def _compared(rows: pd.DataFrame, measure: str) -> pd.DataFrame:
    some = (rows["measure"] == measure) & ~rows["group"].isin([EVERYBODY, GAP])
    return rows[some & ~rows["too_small"] & rows["value"].notna()]


def _between(model: pd.DataFrame, measure: str) -> str:
    groups, shown = _compared(model, measure), WORDS[measure].shown
    ends = [int(groups["value"].argmax()), int(groups["value"].argmin())]
    upper, lower = (f"{row['group']} ({shown(row['value'])})" for row in each(groups.iloc[ends]))
    return f"It lies between {upper} and {lower}."


def _paired(model: pd.DataFrame, without: pd.DataFrame, measure: str) -> pd.DataFrame:
    nonprivate_values = without[without["measure"] == measure].set_index("group")["value"]
    rows = model[(model["measure"] == measure) & (model["group"] != GAP)]
    return rows.assign(reference=rows["group"].map(nonprivate_values)).reset_index(drop=True)


def _named(row: Row) -> str:
    """A group on the axis, with its size below, which leaves room on a narrow screen."""
    small = ", too small" if row["too_small"] else ""
    name = literal(cut(str(row["group"])))
    return f"{name}<br>{spaced(int(row['people']))}{small}"


def shown(question: GroupsQuestion, rows: pd.DataFrame, chosen: Chosen) -> Shown:
    """What the tab shows of one model at one ε."""
    measure = str(chosen.looked[MEASURE.key])
    without = rows[rows["method"] == REFERENCE]
    line = chosen.of_line(rows)
    model = line[line["epsilon"] == chosen.epsilon]
    figures = (
        of_groups(model, without, measure, dark=chosen.dark),
        gap(line, without, measure, chosen.epsilon, dark=chosen.dark),
    )
    return Shown(ModelAtEpsilon.of(model.iloc[0]), rows, figures=figures)
