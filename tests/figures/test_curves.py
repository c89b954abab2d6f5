"""What figures against ε share: names, guarantees, looks."""

from __future__ import annotations

import math

import pytest

from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.figures import curves, style
from dpcore.figures.curves import guarantee_in_short


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
