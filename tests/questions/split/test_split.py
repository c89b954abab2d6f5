"""The noise of releases is that of each mechanism, and claims are told from proofs."""

import json
import re
import shlex

import pytest

from dpcore.accounting.answers import ladder, split
from dpcore.cli import main
from dpcore.guarantee import PrivacyBudget
from dpcore.questions.split import figure
from tests.typewritten import typewritten


@pytest.mark.parametrize(("epsilon", "top"), [(3.0, 12.0), (900.0, 900.0)])
def test_the_ladder_of_releases_is_that_of_one_that_moves_further(epsilon, top):
    table = figure.ladder_curve(epsilon, 1e-5, 2.0, 9)
    assert table["epsilon"].max() == pytest.approx(top)
    here = table[table["epsilon"] == epsilon].set_index("mechanism")
    for row in ladder(epsilon, 1e-5, 6.0):
        assert here.loc[row["mechanism"], "sigma"] == row["claim"]["sigma"]
        assert (here.loc[row["mechanism"], "status"] == "proved") == (row["sigma"] is not None)
    exact = split(PrivacyBudget(epsilon, 1e-5), 9, "pld", 2.0).portions[0].sigma
    assert here.loc["analytic", "sigma"] == pytest.approx(exact, rel=1e-6)
    # What is drawn as one line is one.
    assert here.loc["tcdp", "sigma"] == here.loc["zcdp", "sigma"]
    assert here.loc["pld", "sigma"] == pytest.approx(exact, rel=1e-4)


def test_the_ladder_tells_claims_from_proofs():
    drawn = figure.sigmas(figure.ladder_curve(3.0, 1.25e-5, 1.0, 1), 3.0)
    lines = {trace.name: trace for trace in drawn.figure.data}
    assert list(lines) == list(figure.TITLES.values())
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


def test_command_and_snippet_give_the_same_noise(capsys):
    asked = (PrivacyBudget(3.0, 1e-5), 9, 2.0)
    sigma = split(*asked[:2], "pld", 2.0).portions[0].sigma
    line = shlex.split(figure.command(*asked).replace("\\\n", " "))
    assert main([*line[3:], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sigma"] == [sigma] * 9
    exec(compile(figure.snippet(*asked), "snippet", "exec"), {})
    assert float(capsys.readouterr().out) == pytest.approx(sigma, rel=1e-5)
