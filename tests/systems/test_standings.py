"""Where systems stand: what runs says so itself, and claims never pass for proofs."""

import math
from dataclasses import replace

import pytest

from dpcore import systems
from dpcore.accounting import paper_004
from dpcore.deep.config import guarantee
from dpcore.erm import methods
from dpcore.errors import InvalidInput
from dpcore.guarantee import Edition, Status
from dpcore.mechanisms.gaussian import (
    analytic_delta,
    analytic_epsilon,
    analytic_sigma,
    classical_sigma,
)
from dpcore.systems import ClaimVerdict, Place, Practice, Relation, Runnable, forms, standing
from dpcore.systems.standings import HERE, PUBLISHED, TRAININGS, UNCHECKED

SYSTEMS = systems.register()
WRITTEN = {system.key for system in systems.WRITTEN}


def test_no_verdict_of_ones_own_stands_beside_one_that_is_computed():
    for system in SYSTEMS.values():
        editions = {form.edition for run in system.runs for form in forms(run)}
        assert not (Edition.PUBLISHED in editions and system.verdict), system.key


@pytest.mark.parametrize("key", [key for key in methods.register() if key != "nonprivate"])
def test_a_methods_systems_say_what_its_register_says(key):
    editions = methods.method_named(key).editions
    for system in systems.runs_of(Place.EXPLORE, key):
        result = standing(system)
        run = next(each for each in system.runs if each.key == key)
        if run.relation is Relation.ITSELF and Edition.PUBLISHED in editions:
            printed = editions[Edition.PUBLISHED]
            assert result.claim == (system.claim or printed.claim)
            assert result.proof == printed.proof
            assert (result.status, result.of) == (printed.status, PUBLISHED)
        if Edition.SOUND in editions and result.of == HERE:
            assert result.status is editions[Edition.SOUND].status
            assert result.proof == editions[Edition.SOUND].proof


OPENINGS = {
    Status.PROVED: ("Holds",),
    Status.CONDITIONS_NOT_MET: ("Holds only",),
    Status.CLAIM_NOT_SUPPORTED: ("Fails", "Not proved"),
}


def test_a_verdict_opens_with_what_its_status_says():
    for system in SYSTEMS.values():
        result = standing(system)
        # A claim that was not checked has no verdict of its own, and one that was has.
        if system.key in WRITTEN:
            assert bool(system.in_short) == (result.of == PUBLISHED), system.key
        if result.of == PUBLISHED:
            assert result.verdict.startswith(OPENINGS[result.status]), system.key


@pytest.mark.parametrize("key", [key for key in methods.register() if key != "nonprivate"])
def test_a_method_has_the_verdict_of_its_system(key):
    verdict = systems.verdict_on(key)
    claims = [
        standing(each).verdict
        for each in systems.runs_of(Place.EXPLORE, key)
        if standing(each).of == PUBLISHED and not each.claim
    ]
    # Two systems that claim what one method claims are judged alike.
    assert {verdict} == (set(claims) or {""})


def test_a_leak_of_an_implementation_is_no_verdict_on_the_theorem():
    pate_gan = SYSTEMS["pate-gan"]
    assert standing(pate_gan).status is Status.DESCRIBED_ONLY
    assert pate_gan.practice is Practice.LEAKS
    assert standing(SYSTEMS["laplace"]).status is Status.PROVED
    assert SYSTEMS["laplace"].practice is Practice.LEAKS
    assert SYSTEMS["adaptive-tcdp"].practice is Practice.NONE_KNOWN
    assert SYSTEMS["private-pac"].practice is Practice.NOTHING_TO_RUN
    for system in SYSTEMS.values():
        assert (system.practice is Practice.LEAKS) == bool(system.leaks)
        bare = replace(system, leaks=(), software=())
        assert standing(bare) == standing(system)


def test_what_is_known_of_the_five_papers():
    status = {key: standing(system).status for key, system in SYSTEMS.items()}
    assert status["opera"] is Status.PROVED
    for refuted in ("grpua", "sgdpert", "grpua-network", "input-perturbation"):
        assert status[refuted] is Status.CLAIM_NOT_SUPPORTED
    # Paper 003's noise is enough on the mean, not on the sum; paper 004's shape tells in either.
    assert status["adaptive-tcdp"] is Status.CONDITIONS_NOT_MET
    assert status["optimised-noise"] is Status.CLAIM_NOT_SUPPORTED
    assert status["wishart-pca"] is Status.CLAIM_NOT_SUPPORTED
    for unmet in ("output-perturbation", "objective-perturbation", "gaussian"):
        assert status[unmet] is Status.CONDITIONS_NOT_MET
    assert status["noisy-sgd"] is Status.PROVED
    assert status["ganobfuscator"] is Status.DESCRIBED_ONLY


def test_paper_004_is_told_in_both_readings():
    tau = paper_004.bound(1.0, 1e-5)
    on_sum, on_mean = (
        analytic_epsilon(paper_004.noise(tau, 1_000, noise_on_mean=literal), 1e-5, 1.0)
        for literal in (False, True)
    )
    system = SYSTEMS["optimised-noise"]
    told = " ".join(system.breaks)
    assert 6.5 < on_sum <= 6.6
    assert "ε of up to 6.6" in told
    assert 0.0029 < on_mean <= 0.003
    assert "cost 0.003" in told
    assert "in either reading" in told
    # The exact solution is the same noise for every weight, which no record shapes.
    exact = replace(TRAININGS["published-004"].config, reading="exact", noise_on_mean=True)
    held = guarantee(exact.claiming(1.0, 1_437), 1_437)
    assert held.certified.epsilon is not None
    assert held.certified.epsilon < 0.05
    assert standing(system).status is Status.CLAIM_NOT_SUPPORTED


@pytest.mark.parametrize("delta", [1e-3, 1e-5])
def test_operas_gain_exceeds_its_inverse_epsilon_only_as_epsilon_vanishes(delta):
    def gain(epsilon, delta):
        return float(classical_sigma(epsilon, delta) / analytic_sigma(epsilon, delta)) ** 2

    told = " ".join(methods.method_named("opera").limits)
    assert gain(1e-9, delta) > 1e9
    assert gain(0.1, delta) < 10.0
    for epsilon, times, words in (
        (1e-5, 905_000, "905 000 times"),
        (1e-3, 187, "187 times"),
        (0.1, 4.7, "4.7 times"),
    ):
        assert gain(epsilon, 1e-3) == pytest.approx(times, rel=5e-3)
        assert words in told


def test_the_surveys_gaussian_formula_holds_up_to_where_it_is_said_to():
    def excess(epsilon):
        sigma = math.sqrt(2.0 * math.log(2.0 / 1e-5)) / epsilon
        return float(analytic_delta(epsilon, sigma, 1.0)) - 1e-5

    assert excess(9.3) < 0.0 < excess(9.4)
    assert "up to ε = 9.3 at δ = 10⁻⁵" in standing(SYSTEMS["gaussian"]).proof


@pytest.mark.parametrize("key", TRAININGS)
def test_a_training_is_judged_by_the_deep_part(key):
    example = TRAININGS[key]
    (form,) = forms(Runnable(Place.TRAIN, key))
    held = guarantee(example.config, example.records, accountant="rdp")
    assert form.status is held.status
    assert (form.edition is Edition.PUBLISHED) == (held.claim.epsilon is not None)
    assert form.proof


def test_a_relative_says_nothing_about_a_system():
    alone = replace(SYSTEMS["dp-lstm"], runs=())
    assert SYSTEMS["dp-lstm"].runs
    assert standing(SYSTEMS["dp-lstm"]) == standing(alone)
    assert standing(alone).status is Status.DESCRIBED_ONLY
    assert standing(alone).proof == UNCHECKED
    assert not systems.runs_here(SYSTEMS["dp-lstm"])


def test_a_sound_form_never_lifts_the_verdict_on_the_claim():
    bare = replace(SYSTEMS["dpne"], runs=(Runnable(Place.EXPLORE, "grpua", Relation.SOUND),))
    assert standing(bare).status is Status.PROVED
    assert standing(bare).of == HERE
    judged = replace(bare, verdict=ClaimVerdict(Status.CLAIM_NOT_SUPPORTED, "It does not hold."))
    result = standing(judged)
    assert (result.status, result.proof) == (Status.CLAIM_NOT_SUPPORTED, "It does not hold.")
    assert result.of == PUBLISHED
    assert result.sound is not None


@pytest.mark.parametrize("place", Place)
def test_a_run_that_is_not_there_is_refused(place):
    with pytest.raises(InvalidInput, match="'nowhere'"):
        forms(Runnable(place, "nowhere"))
