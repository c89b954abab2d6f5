"""The first picture: the line in focus, the chosen ε, and the cost in two parts end to end."""

import math

import pandas as pd
import pytest

from dpcore.evaluation.scoring import AREA as AREA_METRIC
from dpcore.evaluation.scoring import Metric
from dpcore.figures.cost import Cost
from dpcore.figures.curves import ReferenceLine
from dpcore.figures.overview import overview
from dpcore.figures.quality import ACCURACY, Quality
from dpcore.figures.verdict import noise_and_split

WITHIN = "It comes within 2 points of no privacy"
QUALITIES = {
    "accuracy": ACCURACY,
    "auc": Quality(AREA_METRIC),
    "rmse": Quality(Metric("rmse", -1.0, 100.0, "days")),
}


def measured(table, quality):
    """The table's accuracies as another measure; an accuracy a is the error 100 (1 - a)."""
    table = table.assign(accuracy_noiseless=table["accuracy"] + 0.02)
    names = [name for name in table if str(name).startswith("accuracy")]
    if quality.share:
        return table.rename(columns={n: n.replace("accuracy", quality.column) for n in names})
    turned = 100.0 * (1.0 - table[names])
    turned.columns = [name.replace("accuracy", "rmse") for name in names]
    turned = turned.rename(columns={"rmse_low": "rmse_high", "rmse_high": "rmse_low"})
    return pd.concat([table.drop(columns=names), turned], axis=1)


def drawing(
    table,
    titles,
    quality=ACCURACY,
    *,
    epsilon=1.0,
    baseline=None,
    so_far=False,
):
    table = measured(table, quality)
    line = table[table["method"] == "opera"].sort_values("epsilon")
    row = line[line["epsilon"] == epsilon].iloc[0]
    if baseline is None:
        baseline = 0.95 if quality.share else 5.0
    cost = Cost.of(row, baseline, quality)
    guess = 0.6 if quality.share else 40.0
    drawn = overview(
        line,
        table[table["method"] != "opera"],
        row,
        cost,
        [ReferenceLine("no privacy", baseline), ReferenceLine("a guess", guess, "dot")],
        name="the best proved method",
        chosen="at each ε the best mean",
        titles=titles,
        quality=quality,
        subject="it",
        so_far=so_far,
    )
    return drawn, cost, row


@pytest.mark.parametrize("column", QUALITIES)
def test_the_line_stands_at_epsilon_and_the_bars_end_where_the_values_say(table, titles, column):
    for epsilon in (1e-3, 1.0, 100.0):
        drawn, cost, row = drawing(table, titles, QUALITIES[column], epsilon=epsilon)
        figure = drawn.figure
        (line,) = [shape for shape in figure.layout.shapes if shape.x0 == shape.x1]
        assert line.x0 == epsilon
        form, noise = (
            next(trace for trace in figure.data if str(trace.name).startswith(words))
            for words in ("simpler model", "noise")
        )
        assert list(form.x) == list(noise.x) == [epsilon, epsilon]
        assert list(form.y) == [cost.baseline, row[f"{column}_noiseless"]]
        assert list(noise.y) == [row[f"{column}_noiseless"], row[column]]
        assert form.line.color != noise.line.color
        # What the bars say is what the sentence of the cost says.
        assert f"{cost.form} {cost.quality.unit}" in form.hovertemplate
        assert f"{cost.noise} {cost.quality.unit}" in noise.hovertemplate
        assert cost.sentence in drawn.alt


@pytest.mark.parametrize("column", QUALITIES)
def test_every_curve_and_both_references_are_within_the_axes(table, titles, column):
    quality = QUALITIES[column]
    drawn, cost, _ = drawing(table, titles, quality)
    low, high = drawn.figure.layout.yaxis.range
    values = [*measured(table, quality)[column], cost.baseline, 0.6 if quality.share else 40.0]
    assert 0.0 <= low <= min(values)
    assert max(values) <= high
    assert list(drawn.figure.layout.xaxis.range) == [-3.0, 2.0]
    # Equal values, and one row alone, leave an axis to stand on.
    alone = table[(table["method"] == "opera") & (table["epsilon"] == 1.0)]
    low, high = drawing(alone, titles, quality)[0].figure.layout.yaxis.range
    assert math.isfinite(low)
    assert low < high


def test_the_line_in_focus_is_stronger_and_has_its_band(table, titles):
    drawn, *_ = drawing(table, titles)
    (band,) = [trace for trace in drawn.figure.data if trace.fill == "toself"]
    rows = table[table["method"] == "opera"]
    assert list(band.y) == pytest.approx([*rows["accuracy_high"], *rows["accuracy_low"][::-1]])
    (strong,) = [trace for trace in drawn.figure.data if trace.mode == "lines+markers"]
    assert list(strong.y) == list(rows["accuracy"])
    thin = [trace for trace in drawn.figure.data if str(trace.name).endswith(" sound")]
    assert all(trace.line.width < strong.line.width for trace in thin)
    assert len({trace.line.dash for trace in thin}) == 2  # told apart by more than colour
    hovered = [text for trace in drawn.figure.data for text in trace.hovertext or ()]
    assert len(hovered) == len(table)
    for text in hovered:
        assert all(part in text for part in ("analytic Gaussian", "replace-one", "δ = 1e"))


@pytest.mark.parametrize(
    ("losses", "told"),
    [
        ((0.100, 0.010, 0.0), "From ε = 10 on it stays within 2 points of no privacy."),
        ((0.100, 0.010, 0.031), f"{WITHIN} at ε = 10, but loses 3.1 points at ε = 100."),
        ((0.0, 0.100, 0.021), f"{WITHIN} at ε = 1, but loses 2.1 points at ε = 100."),
        (
            (0.010, 0.018, 0.031),
            f"{WITHIN} at some ε from 1 to 10, but loses 3.1 points at ε = 100.",
        ),
        (
            (0.100, 0.031, 0.044),
            "It nowhere comes within 2 points of no privacy; at best it loses 3.1 points.",
        ),
        # Shown as a loss of 2.0 points, which are within 2.
        ((0.100, 0.0204, 0.0204), "From ε = 10 on it stays within 2 points of no privacy."),
    ],
)
def test_what_is_said_of_the_loss_agrees_with_the_numbers_shown(table, titles, losses, told):
    rows = table[table["epsilon"] >= 1.0].copy()
    rows.loc[rows["method"] == "opera", "accuracy"] = [0.9 - loss for loss in losses]
    assert f" {told} " in drawing(rows, titles, baseline=0.9)[0].sentence
    later = told[0].lower() + told[1:]
    assert f" So far, {later} " in drawing(rows, titles, baseline=0.9, so_far=True)[0].sentence


@pytest.mark.parametrize(
    ("column", "noise", "split"),
    [
        ("accuracy", "2.1 points", "0.5 points"),
        ("auc", "0.021", "0.005"),
        ("rmse", "0.0213 days", "0.0046 days"),
    ],
)
def test_the_noise_is_told_apart_from_the_split(table, titles, column, noise, split):
    quality = QUALITIES[column]
    one, *_ = drawing(table, titles, quality)
    assert "split" not in one.sentence
    deviations = {f"{column}_noise_deviation": 0.0213, f"{column}_split_error": 0.0046}
    several = table.assign(splits=100, runs=200, **deviations)
    drawn, _, row = drawing(several, titles, quality)
    told = noise_and_split(row, quality)
    assert f"±{noise}; which records are tested leaves ±{split}." in told
    assert drawn.sentence.endswith(told)
    row = row.copy()
    row[f"{column}_split_error"] = 0.0
    assert noise_and_split(row, quality).endswith("leaves next to nothing.")
    row[f"{column}_split_error"] = math.nan
    assert noise_and_split(row, quality).endswith(f"by ±{noise}.")
    row[f"{column}_noise_deviation"] = math.nan
    assert noise_and_split(row, quality) == ""
