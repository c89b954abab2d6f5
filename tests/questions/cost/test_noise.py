"""Noise against ε: words are computed, ranges stay put, series stay apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from dpcore.figures.curves import ReferenceLine
from dpcore.figures.drawn import Drawn
from dpcore.questions.cost import chosen, noise

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
