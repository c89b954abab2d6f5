"""What an outsider finds: on made-up laws whose answer is known, and of one chosen image."""

import numpy as np
import pytest

from dpcore.audit import outsider
from dpcore.audit.attack import run
from dpcore.audit.register import attacks
from dpcore.mechanisms.gaussian import analytic_mu


def shadowed(members_gain, models=40, records=2_000):
    """Confidences of models that are larger by so much of a record that they were trained on."""
    generator = np.random.default_rng(4)
    inside = generator.random((models, records)) < 0.5
    easy = generator.normal(0.0, 3.0, records)
    told = easy + members_gain * inside + generator.normal(size=(models, records))
    return told, inside


def test_lira_finds_as_many_as_the_likelihood_ratio_of_normal_laws_does():
    told, inside = shadowed(2.0)
    score = outsider.lira(told[0], told[1:], inside[1:])
    # Where a tenth of others are taken for members, Φ(2 - 1.28) of members are found.
    assert outsider.found(score, inside[0], 0.1) == pytest.approx(0.764, abs=0.05)
    # By confidence alone, whose spread over records is thrice its own, far fewer are.
    assert outsider.found(told[0], inside[0], 0.1) < 0.35
    told, inside = shadowed(0.0)
    score = outsider.lira(told[0], told[1:], inside[1:])
    assert outsider.found(score, inside[0], 0.1) == pytest.approx(0.1, abs=0.04)


def test_rmia_finds_members_and_nothing_where_nothing_is_lost():
    strangers = np.arange(2_000) >= 1_500
    found = {}
    for gain in (2.0, 0.0):
        told, inside = shadowed(gain)
        told -= gain * (inside & strangers)
        score = outsider.rmia(told[0], told[1:], strangers)
        found[gain] = outsider.found(score[:1_500], inside[0, :1_500], 0.1)
    assert found[2.0] > 0.4
    assert found[0.0] == pytest.approx(0.1, abs=0.04)


def test_so_many_others_are_taken_for_members_and_no_more():
    scores = np.array([5.0, 4.0, 3.0, 2.0, 1.0, 0.0])
    inside = np.array([True, False, True, False, True, False])
    assert outsider.found(scores, inside, 0.0) == pytest.approx(1 / 3)
    assert outsider.found(scores, inside, 0.34) == pytest.approx(2 / 3)
    assert outsider.found(scores, inside, 1.0) == 1.0


def test_a_value_is_guessed_by_the_models_loss_and_by_how_common_it_is():
    losses = np.array([[0.0, 2.0], [2.0, 0.0], [0.0, 0.0]])
    assert outsider.guessed_values(losses, np.array([0.3, 0.7])).tolist() == [0, 1, 1]
    assert outsider.guessed_values(0.0 * losses, np.array([0.3, 0.7])).tolist() == [1, 1, 1]


def test_confidences_are_those_of_the_records_own_classes():
    chances = np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]])
    told = outsider.confidences(np.log(chances), np.array([0, 1]))
    assert told == pytest.approx(np.log([0.7 / 0.3, 0.1 / 0.9]))


@pytest.mark.slow("trains many networks")
def test_what_a_model_says_of_one_chosen_image_is_normal_with_almost_all_of_mu():
    (attack,) = attacks()[outsider.KEY]
    first, second = attack.aim(10.0, 1e-5).scores(1.0, 200, 5)
    # The bound takes both variances to be one; √(1/200) is the error of their roots' ratio.
    assert first.std() / second.std() == pytest.approx(1.0, abs=0.21)
    mu = (first.mean() - second.mean()) / np.sqrt((first.var() + second.var()) / 2.0)
    assert mu == pytest.approx(float(analytic_mu(10.0, 1e-5)), abs=0.35)
    assert run(attack, noise_share=0.5).flagged
