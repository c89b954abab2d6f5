"""Plan's sentences: rounded to the safe side, and each with the adjacency that it speaks of."""

import re
from dataclasses import replace

import pytest

from dpcore.accounting.paper_003 import Evidence, preset
from dpcore.accounting.planner import solve
from dpcore.accounting.risk_target import RiskTarget
from dpcore.guarantee import Adjacency, Guarantee
from dpcore.questions.plan.limit import limited
from dpcore.questions.plan.words import judged, saved, spends
from dpcore.words import at_least

RUN = preset("chexpert").training


def known(epsilon, low=None, reason=""):
    actual = Guarantee(epsilon, 1e-4, Adjacency.REPLACE_ONE, "PLD", reason)
    return Evidence("poisson", actual, low)


@pytest.mark.parametrize(
    ("claim", "kind", "evidence", "told"),
    [
        (
            1.66,
            "printed",
            known(0.62161),
            "certifies ε = 0.622 for this noise: the printed 1.66 holds",
        ),
        (4.9741, "printed", known(0.6), "the printed 4.98 holds"),
        (1.19, "stated", known(1.556, 1.5579), "the stated 1.19 does not hold"),
        # Rounded down.
        (1.19, "stated", known(1.556, 1.5579), "no ε below 1.55 is true there"),
        (1.66, "printed", known(1.84), "the printed 1.66 is not decided"),
        (1.66, "printed", known(None, reason="No theorem."), "the printed 1.66 is not decided"),
    ],
)
def test_a_claim_holds_or_does_not_or_is_not_decided(claim, kind, evidence, told):
    sentence = judged(claim, kind, evidence)
    assert sentence.startswith("Under replace-one on Poisson samples, ")
    assert told in sentence
    assert ("does not hold" in sentence) == (kind == "stated")


@pytest.mark.parametrize("unknown", ["sigma", "delta"])
def test_an_answer_is_rounded_to_the_safe_side(unknown):
    plan = solve(unknown, RUN, 0.25, "rdp")
    assert plan.value is not None
    assert plan.guarantee.epsilon is not None
    told = re.search(r"(?:σ₀|δ) = ([\d.e-]+) .* ε = ([\d.]+) of 0.25\.", spends(plan, RUN, 0.25))
    assert told is not None
    assert float(told[1]) >= plan.value
    assert plan.guarantee.epsilon <= float(told[2]) <= 0.25


def test_a_run_is_said_to_spend_more_than_the_budget_only_where_it_does():
    plan = solve("epsilon", RUN, 1.0, "pld")
    assert plan.value is not None
    assert "more than the budget" in spends(plan, RUN, 0.999999 * plan.value)
    assert "more than" not in spends(plan, RUN, plan.value)
    nothing = solve("epochs", RUN, 0.01, "pld")
    assert spends(nothing, RUN, 0.01) == nothing.sentence


def test_a_run_is_held_to_a_risk_by_the_noise_that_keeps_it():
    run, risk = replace(RUN, decay=1.0), RiskTarget(55.0)
    noise = limited("sigma", run, risk)
    assert "at most 55 of 100 guess right" in spends(noise.plan, run, noise.epsilon, risk)
    assert noise.epsilon == noise.plan.guarantee.epsilon
    assert at_least(noise.saves) in saved(noise.plan, run.delta, noise.saves)
    quiet, loud = (
        limited("epsilon", replace(run, sigma=noise.plan.value * factor), risk)
        for factor in (1.01, 0.99)
    )
    assert "more than" not in spends(quiet.plan, run, quiet.epsilon, risk)
    assert "more than" in spends(loud.plan, run, loud.epsilon, risk)
    # Each is the same run with the noise that keeps the risk.
    assert quiet.epsilon == pytest.approx(noise.epsilon, rel=1e-3)
    assert quiet.plan.training == replace(run, sigma=noise.plan.value * 1.01)


def test_at_least_never_rounds_up():
    assert (at_least(29.26), at_least(29.29), at_least(0.0012349)) == ("29.2", "29.2", "0.00123")
    assert at_least(float("inf")) == "∞"
