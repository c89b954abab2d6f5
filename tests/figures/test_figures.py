"""Figures say what their table says: words are computed, ranges stay put, series stay apart."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.figures import chosen, curves, noise, style
from dpcore.figures.curves import ReferenceLine, guarantee_in_short
from dpcore.figures.drawn import Drawn

REFERENCES = [ReferenceLine("non-private", 0.95), ReferenceLine("majority", 0.63, "dot")]
QUERIES = {
    "outpert": "the trained weights",
    "opera": "the trained weights",
    "dpgd": "the sum of the gradients, each step",
}
Titles = dict[str, str]
DRAW: dict[str, Callable[[pd.DataFrame, Titles, bool], Drawn]] = {
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
    assert len({dash for dash, _ in looks}) == len({marker for _, marker in looks}) == 3
    layout = drawn.figure.layout
    assert None not in (layout.height, layout.xaxis.range, layout.yaxis.range)
    again = DRAW[kind](table.copy(), titles, dark)
    assert again.figure.to_json() == drawn.figure.to_json()
    for text in (text for trace in lines(drawn) for text in trace.hovertext):
        assert "replace-one · analytic Gaussian" in text
        assert "δ = 1e−5" in text or "δ = 10⁻⁵" in text
    for each in (drawn, DRAW[kind](table.iloc[:0], titles, dark)):
        assert each.sentence.endswith(".")
        assert len(each.alt) > 20


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ({"gaussian_mu": 0.2}, "δ = 10⁻⁵ · zero-out · Gaussian DP"),
        ({"accountant": "pure, on counts", "delta": 0.0}, "δ = 0 · zero-out · pure ε"),
        ({"accountant": "zCDP of one draw (A 2021)"}, "δ = 10⁻⁵ · zero-out · zCDP of one draw"),
        ({"accountant": "Laplace noise, twice"}, "δ = 10⁻⁵ · zero-out · Laplace noise"),
        (
            {"gaussian_mu": 0.2, "status": "claim not supported"},
            "δ = 10⁻⁵ · zero-out · promises too much",
        ),
    ],
)
def test_what_belongs_beside_epsilon_is_told_in_few_words(known, told):
    usual = {
        "method": "dpgd",
        "edition": "sound",
        "epsilon": 1.0,
        "runs": 1,
        "delta": 1e-5,
        "adjacency": "zero-out",
        "status": "proved",
        "gaussian_mu": math.nan,
    }
    assert guarantee_in_short(ModelAtEpsilon.of(usual | known)) == told


def test_a_series_without_results_is_left_out(table, titles):
    table.loc[table["method"] == "dpgd", ["accuracy", "objective", "sigma", "excess_risk"]] = np.nan
    for kind, draw in DRAW.items():
        names = {trace.name for trace in draw(table, titles, False).figure.data}
        assert "DP-GD" not in names, kind


def test_two_editions_are_named_and_marked_apart(table, titles):
    both = pd.concat([table, table.assign(edition="published")])
    drawn = DRAW["sigma"](both, titles, False)
    marks = {trace.name: trace.marker.symbol for trace in lines(drawn)}
    assert marks["OPERA, corrected"] == "circle"
    assert marks["OPERA, as in the paper"] == "circle-open"
    small = chosen.accuracy(both[both["epsilon"] == 1.0], REFERENCES, titles=titles)
    assert {trace.y[0]: trace.marker.symbol for trace in small.figure.data} == marks


def test_the_plateau_is_found_where_there_is_one(table, titles):
    opera, outpert = (
        table[table["method"] == method].sort_values("epsilon") for method in ("opera", "outpert")
    )
    assert noise.plateau(opera) == 0.1
    assert noise.plateau(outpert) is None
    drawn = sigma(table, titles=titles)
    assert "OPERA below ε ≈ 0.1" in drawn.detail
    assert "keeps growing as 1/ε: OutPert" in drawn.detail


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


@pytest.mark.parametrize(
    ("sigma_at_ten", "steps", "told"),
    [
        (0.9, 10, "At the same number of steps σ also grows with ε: OPERA between ε = 1 (Δ = "),
        (0.9, 40, "σ also grows with ε: OPERA between ε = 1 (T = 10) and ε = 10 (T = 40)."),
    ],
)
def test_noise_that_grows_with_epsilon_is_explained_by_the_steps(
    sigma_at_ten, steps, told, table, titles
):
    assert "grows with ε" not in sigma(table, titles=titles).detail
    here = (table["method"] == "opera") & (table["epsilon"] == 10.0)
    table.loc[here, ["sigma", "steps"]] = [sigma_at_ten, steps]
    detail = sigma(table, titles=titles).detail
    assert told in detail
    assert ("the number of training steps" in detail) == (steps != 10)


def test_the_chosen_epsilon_counts_points_and_names_claims_that_do_not_hold(table, titles):
    drawn = chosen.accuracy(table[table["epsilon"] == 1.0], REFERENCES, titles=titles)
    assert "DP-GD +1.0, OPERA −22.5 and OutPert −22.5" in drawn.sentence
    assert [trace.y[0] for trace in drawn.figure.data] == ["DP-GD", "OPERA", "OutPert"]
    status = table["status"].mask(table["method"] == "dpgd", "claim not supported")
    at_one = table.assign(status=status)[table["epsilon"] == 1.0]
    drawn = chosen.accuracy(at_one, REFERENCES, titles=titles)
    assert "the least loss first: OPERA " in drawn.sentence
    assert "not proved here: DP-GD (promises too much) +1.0" in drawn.sentence
    assert [trace.y[0] for trace in drawn.figure.data][-1] == "DP-GD (promises too much)"


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
    assert [trace.marker.pattern.shape for trace in drawn.figure.data] == ["", "/"]
    for part in ("333 are cases of ill", "misses 9 of them and raises 18", "OPERA misses 138"):
        assert part in drawn.sentence


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
