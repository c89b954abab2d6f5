"""Figures say what their table says: words are computed, ranges stay put, series stay apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from dpcore.accounting.risk import odds
from dpcore.datasets import Preparation, load, prepare
from dpcore.evaluation.curve_columns import calibration_table
from dpcore.evaluation.exact_curves import closed_form
from dpcore.evaluation.frontier import crossing
from dpcore.evaluation.study import Study, calibrations_for, delta_for, problem_for
from dpcore.figures import chosen, curves, noise, people, style, tradeoff
from dpcore.figures.curves import ReferenceLine, guarantee_in_short
from dpcore.figures.drawn import Drawn
from dpcore.figures.words import plain
from dpcore.guarantee import Adjacency, PrivacyBudget

REFERENCES = [ReferenceLine("non-private", 0.95), ReferenceLine("majority", 0.63, "dot")]
QUERIES = {
    "outpert": "the trained weights",
    "opera": "the trained weights",
    "dpgd": "the sum of the gradients, each step",
}
Titles = dict[str, str]
DRAW: dict[str, Callable[[pd.DataFrame, Titles, bool], Drawn]] = {
    "objective": lambda t, n, dark: tradeoff.objective(
        t, [ReferenceLine("minimum", 0.2)], titles=n, dark=dark
    ),
    "excess risk": lambda t, n, dark: tradeoff.excess_risk(t, titles=n, dark=dark),
    "sigma": lambda t, n, dark: sigma(t, titles=n, dark=dark),
}


def sigma(table, **words):
    """σ of methods that add it to the same."""
    (drawn,) = noise.sigma(table, queries={}, **words)
    return drawn


def lines(drawn):
    return [trace for trace in drawn.figure.data if trace.mode == "lines+markers"]


@pytest.mark.parametrize("kind", DRAW)
@pytest.mark.parametrize("dark", [False, True])
def test_a_figure_stays_put_and_its_series_differ_by_more_than_colour(kind, dark, table, titles):
    drawn = DRAW[kind](table, titles, dark)
    looks = [(trace.line.dash, trace.marker.symbol) for trace in lines(drawn)]
    assert len(looks) == 3
    assert len({dash for dash, _ in looks}) == len({marker for _, marker in looks}) == 3
    layout = drawn.figure.layout
    assert None not in (layout.height, layout.xaxis.range, layout.yaxis.range)
    assert layout.xaxis.type == "log"
    again = DRAW[kind](table.copy(), titles, dark)
    assert again.figure.to_json() == drawn.figure.to_json()
    for trace in lines(drawn):
        for text in trace.hovertext:
            assert "analytic Gaussian" in text
            assert "replace-one" in text
            assert "δ = 1e−5" in text or "δ = 1e-5" in text
    for each in (drawn, DRAW[kind](table.iloc[:0], titles, dark)):
        assert each.sentence.endswith(".")
        assert len(each.alt) > 20


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ({"gaussian_mu": 0.2}, "δ = 1e-5 · zero-out · Gaussian DP"),
        ({"accountant": "pure, on counts", "delta": 0.0}, "δ = 0 · zero-out · pure ε"),
        ({"accountant": "zCDP of one draw (A 2021)"}, "δ = 1e-5 · zero-out · zCDP of one draw"),
        ({"accountant": "Laplace noise, twice"}, "δ = 1e-5 · zero-out · Laplace noise"),
        (
            {"gaussian_mu": 0.2, "status": "claim not supported"},
            "δ = 1e-5 · zero-out · promises too much",
        ),
    ],
)
def test_what_belongs_beside_epsilon_is_told_in_few_words(known, told):
    usual = {"delta": 1e-5, "adjacency": "zero-out", "status": "proved", "gaussian_mu": math.nan}
    assert guarantee_in_short(pd.Series(usual | known)) == told


@pytest.mark.parametrize("kind", DRAW)
@pytest.mark.parametrize("epsilon", [0.01, 10.0])
def test_the_sentence_is_about_the_chosen_epsilon(kind, epsilon, table, titles):
    draw = {
        "objective": partial(tradeoff.objective, references=[]),
        "excess risk": tradeoff.excess_risk,
        "sigma": sigma,
    }[kind]
    sentence = draw(table, titles=titles, epsilon=epsilon).sentence
    assert f"At ε = {epsilon:g} the " in sentence
    for _, one in table[table["epsilon"] == epsilon].iterrows():
        assert f"{titles[one['method']]} {plain(one[kind.replace(' ', '_')])}" in sentence


def test_a_curve_that_falls_back_has_not_arrived():
    rows = pd.DataFrame({"epsilon": [0.1, 1.0, 10.0], "accuracy": [0.95, 0.7, 0.95]})
    assert crossing(rows, "accuracy", 0.9) == 10.0
    assert crossing(rows, "accuracy", 0.96) is None


def test_bands_join_low_and_high(table, titles):
    figure = DRAW["objective"](table, titles, False).figure
    bands = [trace for trace in figure.data if trace.fill == "toself"]
    rows = table[table["method"] == "opera"]
    expected = [*rows["objective_high"], *rows["objective_low"][::-1]]
    assert list(bands[0].y) == pytest.approx(expected)


def test_an_objective_of_nothing_has_no_place_on_its_axis(table, titles):
    drawn = tradeoff.objective(table, [ReferenceLine("minimum", 0.0)], titles=titles)
    assert all(math.isfinite(end) for end in drawn.figure.layout.yaxis.range)
    assert not drawn.figure.layout.shapes
    assert "without privacy it is 0." in drawn.sentence


def test_a_series_without_results_is_left_out(table, titles):
    table.loc[table["method"] == "dpgd", ["accuracy", "objective", "sigma", "excess_risk"]] = np.nan
    for kind, draw in DRAW.items():
        names = {trace.name for trace in draw(table, titles, False).figure.data}
        assert "DP-GD" not in names, kind


def test_two_editions_are_named_and_marked_apart(table, titles):
    both = pd.concat([table, table.assign(edition="published")])
    drawn = DRAW["objective"](both, titles, False)
    marks = {trace.name: trace.marker.symbol for trace in lines(drawn)}
    assert marks["OPERA, corrected"] == "circle"
    assert marks["OPERA, as in the paper"] == "circle-open"
    small = chosen.accuracy(both[both["epsilon"] == 1.0], REFERENCES, titles=titles)
    assert {trace.y[0]: trace.marker.symbol for trace in small.figure.data} == marks


def test_bounds_that_hold_and_bounds_that_fail_are_told_apart(table, titles):
    drawn = tradeoff.excess_risk(table, titles=titles)
    for part in ("lies below its bound", "4 times what is", "No bound with constants: DP-GD"):
        assert part in drawn.detail
    bounds = [
        trace for trace in drawn.figure.data if trace.line.dash and trace.customdata is not None
    ]
    assert bounds
    for trace in bounds:
        assert "%{customdata[0]}" in trace.hovertemplate
        assert "δ = 1e-5 · replace-one · analytic Gaussian" in trace.customdata[0][0]
    table.loc[0, "excess_risk_bound_sound"] = 1e-9
    assert "1 of 32 measured values lie above" in tradeoff.excess_risk(table, titles=titles).detail


def test_the_plateau_is_found_where_there_is_one(table, titles):
    opera = table[table["method"] == "opera"].sort_values("epsilon")
    outpert = table[table["method"] == "outpert"].sort_values("epsilon")
    assert noise.plateau(opera) == 0.1
    assert noise.plateau(outpert) is None
    drawn = sigma(table, titles=titles)
    assert "OPERA below ε ≈ 0.1" in drawn.detail
    assert "keeps growing as 1/ε: OutPert" in drawn.detail
    assert any("stops growing" in note.text for note in drawn.figure.layout.annotations)
    axis = drawn.figure.layout.xaxis
    assert 3 <= len(axis.tickvals) == len(axis.ticktext) <= 6
    assert axis.ticktext[0] == "1e-9"


def test_no_less_noise_is_named_than_the_proof_needs(table, titles):
    here = (table["method"] == "dpgd") & (table["epsilon"] == 1.0)
    table.loc[here, "sigma"] = 77.0298
    drawn = sigma(table, titles=titles, epsilon=1.0)
    assert "DP-GD 77.1" in drawn.sentence
    hovers = " ".join(str(text) for each in drawn.figure.data for text in each.hovertext or ())
    assert "77.1" in hovers


def test_noise_on_different_things_has_an_axis_each(table, titles):
    weights, sums = noise.sigma(table, titles=titles, queries=QUERIES)
    assert "on the trained weights is: OPERA" in weights.sentence
    assert "on the sum of the gradients, each step is: DP-GD" in sums.sentence
    assert len(lines(weights)) == 2
    assert len(lines(sums)) == 1
    # Not where all add it to the same thing, and not of methods that are not drawn.
    assert len(noise.sigma(table[table["method"] != "dpgd"], titles=titles, queries=QUERIES)) == 1


@pytest.mark.slow("computes the curves that are drawn")
def test_noise_that_grows_with_epsilon_is_explained_by_the_steps(table, titles):
    assert "grows with ε" not in sigma(table, titles=titles).detail
    here = (table["method"] == "opera") & (table["epsilon"] == 10.0)
    table.loc[here, "sigma"] = 0.9
    # More noise at the same T is not the doing of the rule for T, and is not said to be.
    sentence = sigma(table, titles=titles).detail
    assert "At the same number of steps σ also grows with ε: OPERA between ε = 1 (Δ = " in sentence
    assert "the number of training steps" not in sentence
    assert "goes further" not in sentence
    table.loc[here, "steps"] = 40
    sentence = sigma(table, titles=titles).detail
    assert "σ also grows with ε: OPERA between ε = 1 (T = 10) and ε = 10 (T = 40)." in sentence
    assert "a single step" not in sentence
    table.loc[(table["method"] == "opera") & (table["epsilon"] < 10.0), "steps"] = 1
    sentence = sigma(table, titles=titles).detail
    assert "ε = 1 (T = 1) and ε = 10 (T = 40)" in sentence
    assert "Further left the rule takes a single step; where it ends, the curves" in sentence


def test_noise_that_comes_back_to_its_height_is_on_no_plateau(titles):
    diabetes = prepare(load("diabetes"), Preparation())
    epsilons = (1e-9, 1e-6, 1e-5, 1e-3, 0.01, 0.03, 0.1, 0.15, 1.0, 10.0, 70.0, 100.0)
    methods = ("opera", "psgd")
    study = Study(
        "diabetes", loss="squared", methods=methods, epsilons=epsilons, adjacency="replace-one"
    )
    rows = calibration_table(
        calibrations_for(study, problem_for(study, diabetes), delta_for(study, diabetes))
    )
    psgd = rows[rows["method"] == "psgd"]
    assert psgd["sigma"].iloc[-2] > psgd["sigma"].iloc[0]
    assert noise.plateau(psgd) == 1e-6
    drawn = sigma(rows, titles=titles | {"psgd": "PSGD"})
    assert "PSGD below ε ≈ 1e-6" in drawn.detail
    grown = drawn.detail.split("At the same number of steps σ also grows with ε: ")[1]
    assert grown.startswith("PSGD in places between ε = 0.001 (Δ = ")
    assert "one record move the model further" in grown
    assert "σ also grows with ε: OPERA between ε = 1 (T = 1) and ε = 10" in drawn.detail


def test_words_about_a_plateau_stay_inside_the_axes(table, titles):
    constant = table[table["method"] == "dpgd"].replace({"epsilon": {1e-6: 1e-7}})
    for last, towards in ((1e-7, "left"), (1e-3, "center"), (10.0, "right"), (100.0, "right")):
        still = constant.assign(sigma=[0.01 if e <= last else 1e-4 for e in constant["epsilon"]])
        (note,) = sigma(still, titles=titles).figure.layout.annotations
        assert note.xanchor == towards
        assert note.ay > 0.0
    # Words about the lowest point of a figure stand above it.
    notes = sigma(table, titles=titles).figure.layout.annotations
    assert {note.text.split(":")[0]: note.ay > 0.0 for note in notes} == {
        "OPERA": True,
        "DP-GD": False,
    }


def test_the_rule_for_the_steps_makes_noise_grow_on_the_first_view(titles):
    split = prepare(load("breast_cancer"), Preparation())
    study = Study(methods=("opera",), epsilons=(0.15, 0.2, 0.3, 0.5, 10.0))
    result = noise.rise(closed_form(study, split))
    assert result is not None
    assert (result.epsilons[0], result.steps[0]) == (0.2, 1)
    assert result.steps[1] > 1
    assert noise.rise(closed_form(replace(study, steps=20), split)) is None


def test_the_chosen_epsilon_counts_points_against_the_first_reference(table, titles):
    drawn = chosen.accuracy(table[table["epsilon"] == 1.0], REFERENCES, titles=titles)
    assert "At ε = 1" in drawn.sentence
    assert "DP-GD +1.0" in drawn.sentence
    assert "DP-GD +1.0, OPERA −22.5 and OutPert −22.5" in drawn.sentence
    assert [trace.y[0] for trace in drawn.figure.data] == ["DP-GD", "OPERA", "OutPert"]


def cases(rows, titles, others, records=100_000):
    return chosen.patients(
        rows,
        others,
        titles=titles,
        positive="ill",
        negative="well",
        records_are="patients",
        ill=333.0,
        test_records=records,
    )


def test_cases_among_a_thousand_are_drawn_and_said(table, titles):
    others = [chosen.Cases("no privacy", 9.0, 18.0)]
    drawn = cases(table[table["epsilon"] == 1.0], titles, others)
    words = "At ε = 1, of 1,000 patients like the test records, 333 are cases of ill"
    assert drawn.sentence.startswith(words)
    patterns = [trace.marker.pattern.shape for trace in drawn.figure.data]
    assert patterns == ["", "/"]
    assert "No privacy misses 9 of them and raises 18" in drawn.sentence
    assert "OPERA misses 138" in drawn.sentence


def test_cases_judged_from_few_records_are_given_as_ranges(table, titles):
    opera = table[(table["epsilon"] == 1.0) & (table["method"] == "opera")]
    rates = {"missed_per_1000": 333.0 * 11 / 27, "false_per_1000": 667.0 * 11 / 53}
    drawn = cases(opera.assign(**rates), titles, [], 80)
    # Of the 80 test records 27 are ill: missed ones are counted among these alone.
    for count, among, most, words in (
        (11, 27, 333.0, "OPERA misses about 136 [{}] of them"),
        (11, 53, 667.0, "raises about 138 [{}] false alarms"),
    ):
        low, high = binomtest(count, among).proportion_ci(method="wilson")
        between = f"{math.floor(most * low)} to {math.ceil(most * high)}"
        assert words.format(between) in drawn.sentence
    assert "judged from 80 test records (95 % interval)" in drawn.sentence


def test_a_claim_that_does_not_hold_is_named_wherever_its_series_is(table, titles):
    status = table["status"].mask(table["method"] == "dpgd", "claim not supported")
    table = table.assign(status=status)
    at_one = table[table["epsilon"] == 1.0]
    drawn = chosen.accuracy(at_one, REFERENCES, titles=titles)
    assert "the least loss first: OPERA " in drawn.sentence
    assert "; not proved here: DP-GD (promises too much) +1.0." in drawn.sentence
    assert [trace.y[0] for trace in drawn.figure.data][-1] == "DP-GD (promises too much)"
    names = {trace.name for trace in DRAW["objective"](table, titles, False).figure.data}
    assert "DP-GD (promises too much)" in names


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("dark", [False, True])
def test_the_icon_array_always_shows_a_hundred(epsilon, dark):
    told = odds(PrivacyBudget(epsilon, 1e-5), Adjacency.ZERO_OUT)
    drawn = people.hundred(told, dark=dark)
    sizes = [len(trace.x) for trace in drawn.figure.data]
    assert sum(sizes) == 100
    assert sizes[:2] == [50, 0 if epsilon < 0.01 else told.right - 50]
    assert drawn.sentence == told.sentence


def luminance(colour):
    channels = [int(colour[start : start + 2], 16) / 255.0 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("method", [*style.LOOKS, "a method nobody knows"])
def test_lines_stand_out_from_their_ground(method):
    assert contrast(style.look(method).on(False), "#FFFFFF") >= 3.0
    assert contrast(style.look(method).on(True), "#0F151B") >= 3.0


def test_a_claim_that_fails_from_some_epsilon_on_says_so(table, titles):
    opera = table["method"] == "opera"
    table.loc[opera & (table["epsilon"] >= 10.0), "status"] = curves.UNSUPPORTED
    name = curves.name_of(table, "opera", "sound", titles)
    assert name == "OPERA (promises too much from ε = 10 on)"
    table.loc[opera, "status"] = curves.UNSUPPORTED
    assert curves.name_of(table, "opera", "sound", titles) == "OPERA (promises too much)"
    assert curves.name_of(table, "dpgd", "sound", titles) == "DP-GD"


def test_known_looks_are_all_different():
    # A model of the survey is drawn alone.
    looks = [one for key, one in style.LOOKS.items() if key != style.SURVEY]
    for field in ("colour", "colour_on_dark", "dash", "marker"):
        assert len({getattr(one, field) for one in looks}) == len(looks)
