"""The first picture: the line in focus, the chosen ε, and the cost in two parts end to end."""

import math
import re

import pandas as pd
import pytest

from dpcore.evaluation.scoring import AREA as AREA_METRIC
from dpcore.evaluation.scoring import Metric
from dpcore.figures.cost import FORM, NOISE, Cost
from dpcore.figures.curves import ReferenceLine
from dpcore.figures.overview import LETTERS, ROW, overview
from dpcore.figures.quality import ACCURACY, Quality
from dpcore.figures.style import LOOKS, look
from dpcore.figures.verdict import noise_and_split
from dpcore.methods import register
from dpcore.predictors import in_words

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
    name="the best proved method",
    subject="it",
    so_far=False,
    dark=False,
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
        name=name,
        chosen="at each ε the best mean",
        titles=titles,
        quality=quality,
        subject=subject,
        so_far=so_far,
        dark=dark,
    )
    return drawn, cost, row


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("column", QUALITIES)
def test_the_line_stands_at_epsilon_and_the_bars_end_where_the_values_say(
    table, titles, column, dark
):
    for epsilon in (1e-3, 1.0, 100.0):
        drawn, cost, row = drawing(table, titles, QUALITIES[column], epsilon=epsilon, dark=dark)
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
        assert (form.line.color, noise.line.color) == (FORM.on(dark), NOISE.on(dark))
        assert form.line.color != noise.line.color
        # What the bars say is what the sentence of the cost says.
        assert f"{cost.form} {cost.quality.unit}" in form.hovertemplate
        assert f"{cost.noise} {cost.quality.unit}" in noise.hovertemplate
        assert cost.sentence in drawn.alt


def test_thin_lines_have_their_names_beside_them(table, titles):
    drawn, _, _ = drawing(table, titles)
    labels = [
        words for words in drawn.figure.layout.annotations if words.text.startswith("<span style")
    ]
    assert labels
    for label in labels:
        title = label.text.split("</span> ")[1]
        colour = look(next(key for key, name in titles.items() if name == title)).on(False)
        assert colour in label.text
        assert (label.xanchor, label.yanchor) == ("center", "middle")
        assert 0.0 < label.x < 1.0
        assert 0.0 < label.y < 1.0


@pytest.mark.parametrize("method", sorted(LOOKS.keys() - {"opera", "outpert"}))
def test_every_thin_line_has_a_name_also_where_another_line_hides_it(table, titles, method):
    table["method"] = table["method"].replace("dpgd", method)
    titles = titles | {method: f"{method} thin"}
    focus = table[table["method"] == "opera"].set_index("epsilon")
    hidden = table["method"] == method
    for name in ("accuracy", "accuracy_low", "accuracy_high"):
        table.loc[hidden, name] = table.loc[hidden, "epsilon"].map(focus[name])
    figure = drawing(table, titles)[0].figure
    thin = {titles[key] for key in table["method"].unique() if key != "opera"}
    (names,) = [note for note in figure.layout.annotations if "<span style" in note.text]
    (heading,) = [note for note in figure.layout.annotations if "the best proved" in note.text]
    rows = [re.sub("<[^>]*>", "", row) for row in names.text.split("<br>")]
    assert all(any(title in row for row in rows) for title in thin)
    assert max(map(len, rows)) <= LETTERS
    assert (names.yref, names.y, names.yanchor) == ("y domain", 1, "bottom")
    assert heading.yshift == ROW * len(rows)
    assert figure.layout.margin.t >= ROW * (len(rows) + 1)


@pytest.mark.parametrize("column", QUALITIES)
def test_every_curve_and_both_references_are_within_the_axes(table, titles, column):
    quality = QUALITIES[column]
    drawn, cost, _ = drawing(table, titles, quality)
    low, high = drawn.figure.layout.yaxis.range
    values = [*measured(table, quality)[column], cost.baseline, 0.6 if quality.share else 40.0]
    assert low <= min(values)
    assert max(values) <= high
    assert low >= 0.0
    assert drawn.figure.layout.xaxis.type == "log"
    assert list(drawn.figure.layout.xaxis.range) == [-3.0, 2.0]
    assert drawn.figure.layout.yaxis.tickformat == (".0%" if quality.percent else None)


def test_the_line_in_focus_is_stronger_and_has_its_band(table, titles):
    drawn, *_ = drawing(table, titles)
    (band,) = [trace for trace in drawn.figure.data if trace.fill == "toself"]
    rows = table[table["method"] == "opera"]
    assert list(band.y) == pytest.approx([*rows["accuracy_high"], *rows["accuracy_low"][::-1]])
    (strong,) = [trace for trace in drawn.figure.data if trace.mode == "lines+markers"]
    thin = [trace for trace in drawn.figure.data if str(trace.name).endswith(" sound")]
    assert {trace.name for trace in thin} == {"OutPert sound", "DP-GD sound"}
    assert all(trace.line.width < strong.line.width for trace in thin)
    assert len({trace.line.dash for trace in thin}) == 2  # told apart by more than colour
    assert list(strong.y) == list(rows["accuracy"])
    hovered = [text for trace in drawn.figure.data for text in trace.hovertext or ()]
    assert len(hovered) == len(table)
    for text in hovered:
        assert all(part in text for part in ("analytic Gaussian", "replace-one", "δ = 1e"))
    assert drawing(table.copy(), titles)[0].figure.to_json() == drawn.figure.to_json()


def test_it_says_from_which_epsilon_on_the_loss_is_small(table, titles):
    said = drawing(table, titles)[0].sentence
    assert said.startswith("OPERA: at each ε the best mean. ")
    assert "From ε = 100 on it stays within 2 points of no privacy." in said
    assert "Means over 30 runs; band: 9 of 10." in said
    # A curve that falls back has not arrived.
    table.loc[(table["method"] == "opera") & (table["epsilon"] == 100.0), "accuracy"] = 0.7
    assert "It nowhere comes within 2 points" in drawing(table, titles)[0].sentence
    errors = drawing(table, titles, QUALITIES["rmse"], baseline=1.0)[0].sentence
    assert "It nowhere comes within 2 in RMSE of no privacy" in errors
    assert "at best it loses " in errors


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


def test_what_stays_close_is_the_line_and_not_the_method_at_the_chosen_epsilon(table, titles):
    said = drawing(table, titles, subject="the line")[0].sentence
    assert "From ε = 100 on the line stays within 2 points" in said
    said = drawing(table, titles, baseline=1.5, subject="the line")[0]
    assert "The line nowhere comes within 2 points" in said.sentence


def test_a_line_above_no_privacy_says_how_that_model_is_chosen(table, titles):
    said = drawing(table, titles, baseline=0.5)[0].sentence
    assert "It may lie above no privacy, whose model is chosen by cross-validation" in said
    assert "lie above" not in drawing(table, titles, baseline=1.0)[0].sentence
    errors = drawing(table, titles, QUALITIES["rmse"], baseline=1e6)[0].sentence
    assert "It may lie below no privacy, whose model is chosen by cross-validation" in errors


@pytest.mark.parametrize("column", QUALITIES)
def test_one_row_alone_is_drawn(table, titles, column):
    alone = table[(table["method"] == "opera") & (table["epsilon"] == 1.0)]
    drawn, *_ = drawing(alone, titles, QUALITIES[column])
    low, high = drawn.figure.layout.yaxis.range
    assert math.isfinite(low)
    assert math.isfinite(high)
    assert low < high
    assert drawn.sentence.endswith(".")
    assert "at ε = 1" in drawn.alt


def test_equal_values_leave_an_axis_to_stand_on(table, titles):
    flat = table.assign(accuracy=0.95, accuracy_low=0.95, accuracy_high=0.95)
    low, high = drawing(flat.assign(accuracy=0.6), titles)[0].figure.layout.yaxis.range
    assert low < 0.6 < 0.95 < high


@pytest.mark.slow("computes the curves that are drawn")
def test_the_lines_name_stands_above_the_axes_in_rows_that_fit_a_narrow_screen(table, titles):
    for method in register():
        figure = drawing(table, titles, name=f"best proved: {in_words(method)}")[0].figure
        (heading,) = [note for note in figure.layout.annotations if "best proved" in note.text]
        assert (heading.yref, heading.y, heading.yanchor) == ("y domain", 1, "bottom")
        rows = re.sub("</?b>", "", heading.text).split("<br>")
        assert " ".join(rows) == f"━ best proved: {in_words(method)}"
        assert max(map(len, rows)) <= LETTERS
        assert ROW * len(rows) <= figure.layout.margin.t <= 60


@pytest.mark.parametrize("column", QUALITIES)
def test_the_noise_is_told_apart_from_the_split(table, titles, column):
    quality = QUALITIES[column]
    one, *_ = drawing(table, titles, quality)
    assert "split" not in one.sentence
    several = table.assign(splits=100, runs=200)
    deviations = {f"{column}_noise_deviation": 0.0213, f"{column}_split_error": 0.0046}
    drawn, _, row = drawing(several.assign(**deviations), titles, quality)
    said = {"accuracy": ("2.1 points", "0.5 points"), "auc": ("0.021", "0.005")}
    noise, split = said.get(column, ("0.0213 days", "0.0046 days"))
    told = f"Noise moves a single model by ±{noise}; which records are tested leaves ±{split}."
    assert noise_and_split(row, quality) == told
    means = "Means over 200 runs on 100 splits; on an average one, 9 of 10 in the band."
    assert drawn.sentence.endswith(f" {means} {told}")
    assert max(len(sentence.split()) for sentence in (means, told)) <= 20
    nothing = row.copy()
    nothing[f"{column}_split_error"] = 0.0
    assert noise_and_split(nothing, quality) == told.split("leaves")[0] + "leaves next to nothing."
    alone = row.copy()
    alone[f"{column}_split_error"] = math.nan
    assert noise_and_split(alone, quality) == f"Noise moves a single model by ±{noise}."
    alone[f"{column}_noise_deviation"] = math.nan
    assert noise_and_split(alone, quality) == ""
