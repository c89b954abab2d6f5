"""What is looked at closer says what its tables say."""

import math
import re

import pytest

from dpcore.accounting import epsilon_curve
from dpcore.accounting.paper_003 import PRESETS, evidence, preset
from dpcore.questions.plan import figure, paper
from dpcore.questions.plan.accountants import covering, spending
from dpcore.words import at_most

RUN = preset("chexpert").training
BASIS = "Rényi · zero-out · δ = 10⁻⁶"


@pytest.fixture(scope="module")
def along():
    return epsilon_curve.epsilon_curve(RUN, epsilon_curve.CURVES, points=4)


def test_every_accountant_has_its_own_dash_and_marker(along):
    drawn = spending(along)
    looks = {(trace.line.dash, trace.marker.symbol) for trace in drawn.figure.data}
    assert len(looks) == len(drawn.figure.data) == 3  # tCDP proves nothing for these settings
    # The formula speaks of another adjacency: no ratio may be drawn.
    assert "a claim about one record replaced, says 1.66" in drawn.sentence
    assert "times" not in drawn.sentence
    claims = along[along["curve"] == "printed"]
    assert "No accountant here certifies" in spending(claims).sentence
    # Lines far apart are on a logarithmic axis.
    low = along.assign(epsilon=along["epsilon"].where(along["curve"] != "printed", 1e-3))
    assert spending(low).figure.layout.yaxis.type == "log"
    assert drawn.figure.layout.yaxis.type is None


@pytest.mark.parametrize("over", epsilon_curve.OVER)
def test_a_map_marks_the_run_and_the_target(over):
    table = epsilon_curve.epsilon_map(RUN, over)
    value = RUN.decay if over == "decay" else RUN.rate
    given = {"sigma": RUN.sigma, "value": value, "basis": BASIS}
    drawn = figure.epsilon_map(table, over, target=0.5, **given)
    heat, contour, cross = drawn.figure.data
    at = table[(table["sigma"] == RUN.sigma) & (table[over] == value)]["epsilon"].iloc[0]
    assert 10.0 ** heat.z[cross.y[0]][cross.x[0]] == pytest.approx(at)
    assert BASIS in heat.hovertemplate
    assert contour.contours.start == pytest.approx(math.log10(0.5))
    kept = int((table["epsilon"] <= 0.5).sum())
    assert f"ε = {at_most(at)}, within the target 0.5" in drawn.sentence
    assert f"({kept} of {len(table)} settings)" in drawn.sentence
    assert "kept nowhere" in figure.epsilon_map(table, over, target=1e-4, **given).sentence
    table.loc[:2, "epsilon"] = math.inf
    drawn = figure.epsilon_map(table, over, target=1.0, **given)
    assert "3 settings are left blank" in drawn.sentence


def test_no_hover_says_less_than_is_spent(along):
    certified = along[along["curve"] == "pld"]
    (trace,) = spending(certified).figure.data
    for told, epsilon in zip(trace.hovertext, certified["epsilon"], strict=True):
        assert float(re.search(r"ε = ([0-9.]+)<br>", told)[1]) >= epsilon


def test_only_a_comparison_draws_the_printed_formula():
    assert covering(RUN, is_compared=False) == ["pld", "rdp"]
    assert covering(RUN, is_compared=True) == ["pld", "rdp", "printed"]


def test_the_papers_settings_stand_beside_what_is_certified_once_known():
    unknown = paper.settings({})
    assert unknown["ε stated"].notna().sum() == sum(
        each.stated is not None for each in PRESETS.values()
    )
    assert unknown["ε certified, zero-out"].isna().all()
    known = evidence(RUN, [])
    row = paper.settings({"chexpert": (known, known)}).set_index("settings")
    zero_out = row.loc[preset("chexpert").title, "ε certified, zero-out"]
    assert zero_out == known.certified.epsilon
