"""Everything that answers for a run agrees on which accountant has a theorem for it."""

import math

import pytest

from dpcore.accounting import accountants
from dpcore.accounting.accountants import ACCOUNTANTS, certify, certify_along, lower_bound, refusal
from dpcore.accounting.epsilon_curve import CURVES, along, epsilon_curve, epsilon_map
from dpcore.accounting.events import TrainingPlan, steps
from dpcore.accounting.paper_003 import evidence
from dpcore.accounting.planner import solve, spent
from dpcore.accounting.sampled import SampledGaussian
from dpcore.accounting.tradeoff import from_event
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.progress import silent

SAMPLINGS = ("none", "poisson", "fixed")


def run(sampling, adjacency, sigma=6.0):
    # Noise and rate at which tCDP's conditions are met where it has a theorem.
    return TrainingPlan(
        sigma, 10_000, 100, 400, 1e-5, sampling=sampling, adjacency=Adjacency(adjacency)
    )


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("key", ACCOUNTANTS)
def test_every_answer_agrees_on_what_is_covered(key, sampling, adjacency):
    training = run(sampling, adjacency)
    event = training.event()
    reason = refusal(event, adjacency, key)
    rows = {(row["accountant"], row["sampling"]): row for row in accountants.coverage()}
    assert rows[ACCOUNTANTS[key].title, sampling][str(adjacency)] is (reason == "")
    result = certify(event, training.delta, adjacency, key)
    answers = [
        result,
        spent(training, key),
        spent(training, key, progress=silent),
        solve("epsilon", training, 1.0, key).guarantee,
        solve("sigma", training, 1.0, key).guarantee,
    ]
    if key in CURVES:
        answers.append(along(training, key, [training.steps])[-1])
        drawn = epsilon_curve(training, [key], points=2)
        assert set(drawn["status"]) == {"conditions not met" if reason else "proved"}
        assert set(drawn["adjacency"]) == {str(adjacency)}
        assert set(drawn["accountant"]) == {ACCOUNTANTS[key].title}
        last = drawn["epsilon"].iloc[-1]
        assert math.isnan(last) if reason else last == pytest.approx(result.epsilon, rel=2e-4)
    if key == "pld":
        answers += certify_along(steps(event), [training.steps], training.delta, adjacency)
    for answer in answers:
        assert (answer.epsilon is None) is bool(reason)
        assert answer.reason == reason
        assert (answer.adjacency, answer.by) == (adjacency, ACCOUNTANTS[key].title)


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_bounds_curves_maps_and_claims_refuse_what_their_accountant_refuses(sampling, adjacency):
    training = run(sampling, adjacency)
    event = training.event()
    by_pld, by_renyi = (not refusal(event, adjacency, key) for key in ("pld", "rdp"))
    for covered, ask in (
        (by_pld, lambda: lower_bound(event, training.delta, adjacency)),
        (by_pld, lambda: from_event(event, adjacency)),
        (by_renyi, lambda: epsilon_map(training, "decay")),
    ):
        if covered:
            ask()
        else:
            with pytest.raises(InvalidInput, match="no theorem"):
                ask()
    said = evidence(training, []).certified
    assert (said.epsilon is not None) is (by_pld or by_renyi)
    if sampling != "none":
        convex = SampledGaussian(6.0, 0.01, 400, sampling, adjacency)
        assert convex.covered() is by_renyi


def test_tcdp_along_a_run_has_all_the_conditions_of_its_lemma():
    for sigma, status in ((6.0, "proved"), (2.8, "conditions not met")):
        drawn = epsilon_curve(run("fixed", Adjacency.REPLACE_ONE, sigma), ["tcdp"], points=3)
        assert set(drawn["status"]) == {status}
