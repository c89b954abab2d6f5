"""What is claimed, proved and certified of a training, for every shape of its noise."""

from dataclasses import replace

import pytest

from dpcore.accounting import paper_004, planner
from dpcore.accounting.events import TrainingPlan
from dpcore.accounting.planner import spent
from dpcore.deep.config import NO_ACCOUNTING, TrainingConfig, certified_alone, guarantee, together
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Status

RECORDS = 5_000
PLAIN = TrainingConfig(epochs=5, batch=250, sigma=1.2, clip=0.8)
PUBLISHED = replace(PLAIN, noise="published-004").claiming(0.5, RECORDS)


@pytest.mark.parametrize("weights", ["released", "paid", "public"])
@pytest.mark.parametrize("adjacency", ["add-remove", "zero-out", "replace-one"])
@pytest.mark.parametrize("decay", [1.0, 0.9])
def test_scaled_noise_is_certified_at_exactly_isotropics_epsilon(weights, adjacency, decay):
    public = RECORDS if adjacency == "add-remove" else None
    plain = replace(PLAIN, adjacency=adjacency, public_size=public, decay=decay)
    scaled = replace(plain, noise="scaled", weights=weights, share=0.3)
    result, even = guarantee(scaled, RECORDS), guarantee(plain, RECORDS)
    assert result.certified == even.certified
    assert result.certified.epsilon is not None
    assert result.status is even.status is Status.PROVED
    assert result.certified.adjacency is Adjacency(adjacency)
    assert all(condition.met for condition in result.conditions)
    assert result.proof.epsilon == result.certified.epsilon
    assert "scale" in result.proof.by


def test_isotropic_noise_is_certified_as_the_planner_does():
    actual = guarantee(PLAIN, RECORDS)
    training = TrainingPlan(1.2, RECORDS, 250, 100, 1e-5, 0.8, adjacency=Adjacency.ZERO_OUT)
    expected = spent(training, "pld")
    assert actual.certified == expected
    assert actual.claim.epsilon is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, []),
        ({"noise": "scaled"}, []),
        ({"noise": "scaled", "weights": "public"}, ["set aside as public"]),
        ({"noise": "published-004", "weights": "public"}, ["set aside as public"]),
        ({"adjacency": "add-remove", "public_size": 4_900}, ["public size 4 900"]),
    ],
)
def test_what_only_the_user_knows_is_called_an_assumption(changes, words):
    conditions = guarantee(replace(PLAIN, **changes), RECORDS).conditions
    assumed = [each for each in conditions if each.assumed]
    assert len(assumed) == len(words)
    for each, word in zip(assumed, words, strict=True):
        assert each.met
        assert word in each.text


def test_sampling_that_no_accountant_covers_proves_nothing():
    result = guarantee(replace(PLAIN, adjacency="replace-one"), RECORDS, accountant="rdp")
    assert result.certified.epsilon is result.proof.epsilon is None
    assert result.status is Status.CONDITIONS_NOT_MET
    assert "no theorem" in result.proof.reason
    for accountant in ("pld", "rdp"):
        fixed = replace(PLAIN, sampling="fixed", adjacency="replace-one")
        assert guarantee(fixed, RECORDS, accountant=accountant).status is Status.PROVED


@pytest.mark.parametrize("changes", [{"sigma": 0.0}, {"clipped": False}])
@pytest.mark.parametrize("noise", ["isotropic", "scaled", "published-004"])
def test_training_without_noise_or_clipping_is_not_private(changes, noise):
    result = guarantee(replace(PLAIN, noise=noise, **changes), RECORDS)
    assert result.status is Status.NOT_PRIVATE
    assert result.claim.epsilon is result.proof.epsilon is result.certified.epsilon is None
    assert result.certified.reason


def test_noise_steered_by_private_weights_proves_and_certifies_nothing():
    result = guarantee(PUBLISHED, RECORDS)
    assert result.claim.epsilon == pytest.approx(0.5)
    assert result.proof.epsilon is result.certified.epsilon is None
    assert result.certified.reason == NO_ACCOUNTING
    assert NO_ACCOUNTING in result.proof.reason
    assert result.status is Status.CLAIM_NOT_SUPPORTED
    with pytest.raises(InvalidInput, match="no finite ε"):
        PUBLISHED.training(RECORDS)
    with pytest.raises(InvalidInput, match="no finite ε"):
        PUBLISHED.within(2.0, RECORDS)


@pytest.mark.parametrize("least", [paper_004.MIN, 0.3, 0.9])
def test_public_weights_are_certified_by_the_least_noise(least):
    config = replace(PUBLISHED, weights="public")
    result = guarantee(config, RECORDS, min_noise_ratio=least)
    even = guarantee(replace(PLAIN, sigma=PUBLISHED.sigma * least), RECORDS)
    assert result.certified == even.certified
    assert result.certified.epsilon > 0.5
    assert result.proof.epsilon is None
    assert result.status is Status.CLAIM_NOT_SUPPORTED
    # A caller cannot talk noise up: no reading of eq. (11) has more than α/√τ at its least.
    talked = guarantee(config, RECORDS, min_noise_ratio=5.0)
    assert talked.certified == guarantee(replace(PLAIN, sigma=PUBLISHED.sigma), RECORDS).certified


def test_exact_reading_is_certified_as_the_isotropic_noise_it_is():
    config = replace(PUBLISHED, reading="exact")
    result = guarantee(config, RECORDS)
    step = paper_004.a_step(0.5, 1e-5, 250 / RECORDS, 100)
    sigma = paper_004.noise(paper_004.bound(*step), 250, clip=0.8)
    assert config.sigma == pytest.approx(sigma)
    spent = planner.spent(TrainingPlan(sigma, RECORDS, 250, 100, 1e-5, 0.8), "pld")
    assert result.certified.epsilon == pytest.approx(spent.epsilon, rel=1e-6)
    assert result.claim.epsilon == pytest.approx(0.5)
    assert result.status is Status.CLAIM_NOT_SUPPORTED
    assert result.proof.epsilon is None
    assert "λ²S/2" in result.proof.reason


def test_literal_noise_on_the_mean_is_ample_and_still_not_proved_by_its_own_road():
    printed = replace(PLAIN, noise="published-004", reading="exact", noise_on_mean=True)
    result = guarantee(printed.claiming(0.5, RECORDS), RECORDS)
    assert result.claim.epsilon == pytest.approx(0.5)
    assert result.certified.epsilon < 0.01
    assert result.proof.epsilon is None
    assert result.status is Status.CONDITIONS_NOT_MET


@pytest.mark.parametrize(
    "config",
    [
        PLAIN,
        replace(PLAIN, noise="scaled"),
        replace(PLAIN, noise="scaled", weights="paid"),
        replace(PLAIN, noise="published-004", reading="exact"),
        replace(PLAIN, noise="published-004", weights="public"),
    ],
)
def test_noise_for_a_target_stays_within_it(config):
    result = guarantee(config.within(2.0, RECORDS), RECORDS).certified.epsilon
    assert 1.9 < result <= 2.0


def test_costs_for_different_neighbours_do_not_add_up():
    run = PLAIN.training(RECORDS)
    result = together([run, replace(run, adjacency=Adjacency.REPLACE_ONE)], "pld")
    assert result.epsilon is None
    assert "replace-one and zero-out" in result.reason


def test_all_trainings_that_one_was_chosen_among_keep_the_epsilon_together():
    config = TrainingConfig(epochs=2, batch=64)
    one, best = (replace(config, chosen_of=tried).within(2.0, 1_000) for tried in (1, 4))
    assert best.sigma > 1.2 * one.sigma
    assured = guarantee(best, 1_000)
    alone = certified_alone(best, 1_000, assured)
    assert alone.epsilon < 1.3 < 1.99 < assured.certified.epsilon <= 2.0
    assert guarantee(replace(best, chosen_of=1), 1_000).certified == alone
    with pytest.raises(InvalidInput, match="settings tried is 2"):
        replace(config, chosen_of=2, noise="published-004")
