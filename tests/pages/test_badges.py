"""The line that states a guarantee: ε never without δ, adjacency and accountant."""

import re

from streamlit.testing.v1 import AppTest

from dpcore.guarantee import Adjacency, Guarantee
from dpcore.systems import verdict_on
from pages.shared.badges import statement


def test_epsilon_is_stated_with_delta_adjacency_and_accountant_and_rounded_up():
    one = Guarantee(0.123456, 1.23456e-6, Adjacency.REPLACE_ONE, "PLD", "A note.")
    line = statement(one)
    epsilon, delta = (float(text) for text in re.findall(r"[εδ] = ([\d.e-]+)", line))
    assert 0.123456 <= epsilon < 0.1245
    assert 1.23456e-6 <= delta < 1.25e-6
    assert line.endswith(" · replace-one · PLD. A note.")


def test_without_delta_and_without_a_number_nothing_is_made_up():
    pure = statement(Guarantee(1.0, 0.0, Adjacency.ZERO_OUT, "Laplace"))
    assert "ε = 1, δ = 0" in pure
    claimed = statement(Guarantee(1.0, None, Adjacency.ZERO_OUT, "the paper"))
    assert "δ" not in claimed
    assert "vacuous" in statement(Guarantee(1.0, 1.0, Adjacency.ZERO_OUT, "the paper"))
    refused = statement(Guarantee(None, 1e-5, Adjacency.ZERO_OUT, "PLD", "Too little noise."))
    assert refused == "No number. Too little noise."


def _published_and_corrected():
    from dpcore.erm.method import Settings
    from dpcore.erm.problem import Problem
    from dpcore.guarantee import Edition
    from dpcore.methods import method_named
    from pages.shared.badges import claims_and_proofs

    problem, grpua = Problem("logistic", 0.1, 1_234, 3), method_named("grpua")
    claims_and_proofs(
        [
            calibration
            for edition in Edition
            for calibration in grpua.calibrate(problem, [1.0], 1e-5, edition, Settings())
        ]
    )


def test_a_printed_claim_bears_the_verdict_that_the_atlas_gives_it():
    app = AppTest.from_function(_published_and_corrected, default_timeout=60).run()
    assert not app.exception
    said = [text.value for text in app.markdown]
    # Of the printed edition alone, before claim and proof.
    assert said.count(f"**{verdict_on('grpua')}**") == 1
    at = said.index(f"**{verdict_on('grpua')}**")
    assert said.index("**GRPUA**, as in the paper") < at < said.index("**GRPUA**, corrected")
    assert said[at + 1] == "**Claim** (what the paper says)"
    assert "promises too much" in said[at - 2]
