"""Plan's figures say what their tables say."""

import math
import re
from datetime import date

import pytest

from dpcore.accounting import epsilon_curve, grid
from dpcore.accounting.entries import AccountEntry
from dpcore.accounting.presets import preset
from dpcore.accounting.schedules import constant, geometric
from dpcore.accounting.setting_curve import ladder_curve
from dpcore.figures.plan import ladder, maps, schedule, spending
from dpcore.words import at_most
from tests.typewritten import typewritten

RUN = preset("chexpert").training
BASIS = "Rényi · zero-out · δ = 10⁻⁶"
WEEKLY = AccountEntry("release", "Weekly count", 3, date(2026, 3, 1), "week", 20.0)


@pytest.fixture(scope="module")
def along():
    return epsilon_curve.epsilon_curve(RUN, epsilon_curve.CURVES, points=4)


def test_every_accountant_has_its_own_dash_and_marker(along):
    drawn = spending.spending(along)
    looks = {(trace.line.dash, trace.marker.symbol) for trace in drawn.figure.data}
    assert len(looks) == len(drawn.figure.data) == 3  # tCDP proves nothing for these settings
    # The formula speaks of another adjacency: no ratio may be drawn.
    assert "a claim about one record replaced, says 1.66" in drawn.sentence
    assert "times" not in drawn.sentence
    claims = along[along["curve"] == "printed"]
    assert "No accountant here certifies" in spending.spending(claims).sentence
    # Lines far apart are on a logarithmic axis.
    low = along.assign(epsilon=along["epsilon"].where(along["curve"] != "printed", 1e-3))
    assert spending.spending(low).figure.layout.yaxis.type == "log"
    assert drawn.figure.layout.yaxis.type is None


def test_the_schedule_is_drawn_as_it_is():
    trace = schedule.noise(geometric(2.0, 0.25, 3, 10), 2.0).figure.data[0]
    assert list(trace.x) == [1, 10, 11, 20, 21, 30]
    assert list(trace.y) == [2.0, 2.0, 1.0, 1.0, 0.5, 0.5]
    assert "step 21: σ = 0.5" in trace.hovertext[4]
    assert "σ/C = 0.25" in trace.hovertext[4]
    assert "stays at σ = 2" in schedule.noise(constant(2.0, 5), 1.0).sentence


@pytest.mark.parametrize("over", grid.OVER)
def test_a_map_marks_the_run_and_the_target(over):
    table = grid.table(RUN, over)
    value = RUN.decay if over == "decay" else RUN.rate
    given = {"sigma": RUN.sigma, "value": value, "basis": BASIS}
    drawn = maps.epsilon(table, over, target=0.5, **given)
    heat, contour, cross = drawn.figure.data
    at = table[(table["sigma"] == RUN.sigma) & (table[over] == value)]["epsilon"].iloc[0]
    assert 10.0 ** heat.z[cross.y[0]][cross.x[0]] == pytest.approx(at)
    assert BASIS in heat.hovertemplate
    assert contour.contours.start == pytest.approx(math.log10(0.5))
    kept = int((table["epsilon"] <= 0.5).sum())
    assert f"ε = {at_most(at)}, within the target 0.5" in drawn.sentence
    assert f"({kept} of {len(table)} settings)" in drawn.sentence
    assert "kept nowhere" in maps.epsilon(table, over, target=1e-4, **given).sentence
    table.loc[:2, "epsilon"] = math.inf
    assert "3 settings are left blank" in maps.epsilon(table, over, target=1.0, **given).sentence


def test_the_ladder_tells_claims_from_proofs():
    drawn = ladder.sigmas(ladder_curve(3.0, 1.25e-5, 1.0, 1), 3.0)
    lines = {trace.name: trace for trace in drawn.figure.data}
    assert list(lines) == list(ladder.TITLES.values())
    classical = lines["Classical Gaussian"]
    for epsilon, marker in zip(classical.x, classical.marker.symbol, strict=True):
        assert marker.endswith("-open") == (epsilon >= 1.0)
    (place,) = [place for place, epsilon in enumerate(classical.x) if epsilon == 3.0]
    exact = lines["Analytic Gaussian and PLD"]
    # No less noise is told than is needed.
    hover = typewritten(exact.hovertext[place])
    told = float(re.search(r"σ = ([0-9.]+)<br>for ε = 3, δ = 1.25e-5", hover)[1])
    assert exact.y[place] <= told <= 1.0001 * exact.y[place]
    assert "conditions not met" in classical.hovertext[place]
    assert re.search(r"Classical Gaussian [\d.]+ \(nothing is proved\)", drawn.sentence)
    # They fall with ε.
    for line in lines.values():
        assert list(line.y) == sorted(line.y, reverse=True)


def test_no_hover_says_less_than_is_spent(along):
    certified = along[along["curve"] == "pld"]
    (trace,) = spending.spending(certified).figure.data
    for told, epsilon in zip(trace.hovertext, certified["epsilon"], strict=True):
        assert float(re.search(r"ε = ([0-9.]+)<br>", told)[1]) >= epsilon
