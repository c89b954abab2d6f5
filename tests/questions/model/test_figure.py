"""The figure of a survey's model: what is drawn, and sentences that the table bears out."""

import pandas as pd
import pytest

from dpcore.evaluation.models import SUMMARY
from dpcore.models.systems import model_named
from dpcore.questions.model import figure

MODEL = model_named("naive-bayes")


def values_of(mean):
    return mean, mean - 0.04, mean + 0.02


def table(*values, status="proved"):
    epsilons = [0.1, 1.0, 10.0]
    private = ("private", status, "some accountant")
    rows = [
        (private[0], e, 1e-5, "zero-out", *private[1:], "accuracy", *values_of(v), 20, 80, 20)
        for e, v in zip(epsilons, values, strict=True)
    ]
    none = (float("nan"), float("nan"), "", "not private", "", "accuracy")
    rows += [("without noise", *none, 0.9, 0.9, 0.9, 20, 80, 20)]
    rows += [("trivial", *none, 0.6, 0.6, 0.6, 1, 80, 20)]
    return pd.DataFrame(rows, columns=list(SUMMARY))


def test_curve_band_and_references_are_drawn():
    drawn = figure.curve(table(0.62, 0.8, 0.89), MODEL)
    line = next(trace for trace in drawn.figure.data if trace.mode == "lines+markers")
    assert list(line.x) == [0.1, 1.0, 10.0]
    assert list(line.y) == [0.62, 0.8, 0.89]
    assert "zero-out" in line.hovertext[0]
    assert "δ = 10⁻⁵" in line.hovertext[0]
    low, high = drawn.figure.layout.yaxis.range
    assert low < 0.58
    assert high > 0.91
    for word in ("62.0 %", "89.0 %", "90.0 %", "60.0 %"):
        assert word in drawn.alt


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((0.62, 0.885, 0.89), "from ε = 1 on"),
        ((0.62, 0.8796, 0.89), "from ε = 1 on"),  # reads 88.0 % against 90.0 %
        ((0.62, 0.7, 0.8), "does not come within 2 points"),
        ((0.89, 0.7, 0.89), "from ε = 10 on"),
        ((0.62, 0.89, 0.8), "at some ε, but not at the largest"),
    ],
)
def test_the_sentence_says_from_where_noise_no_longer_matters(values, said):
    assert said in figure.curve(table(*values), MODEL).sentence


def test_an_unproved_answer_says_so_first():
    said = figure.answer(table(0.62, 0.8, 0.89, status="claim not supported"), MODEL)
    assert said.startswith("**Not protected as claimed:**")
    assert "Not protected" not in figure.answer(table(0.62, 0.8, 0.89), MODEL)
