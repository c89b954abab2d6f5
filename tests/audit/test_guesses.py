"""The audit of one training: its bound against exact laws, and what it tells of trainings."""

import math

import numpy as np
import pytest
import torch
from scipy import stats

from dpcore.audit import guesses
from dpcore.audit.attack import run
from dpcore.audit.register import attacks


def test_the_bound_is_that_of_the_paper():
    # The example that is worked out with the authors' own code, to the digits it is told with.
    assert guesses.chance(100, 100, 75, math.log(3.0), 0.0) == pytest.approx(0.5535, abs=5e-5)
    assert guesses.least_epsilon(1_000, 100, 75, 1e-4, 0.95) == pytest.approx(0.673, abs=5e-4)
    assert guesses.least_epsilon(1_000, 1_000, 1_000, 0.0, 0.95) == pytest.approx(5.81, abs=5e-3)
    assert guesses.least_epsilon(100, 100, 50, 0.0) == 0.0


@pytest.mark.parametrize(("count", "right"), [(1, 1), (7, 3), (40, 33), (40, 40)])
def test_the_chance_is_its_formulas(count, right):
    epsilon, delta, canaries = 0.7, 1e-3, 60
    law = [
        math.comb(count, k) * math.exp(k * epsilon) / (1.0 + math.exp(epsilon)) ** count
        for k in range(count + 1)
    ]
    most = max(sum(law[right - i : right]) / i for i in range(1, right + 1))
    expected = min(1.0, sum(law[right:]) + 2.0 * canaries * delta * most)
    actual = guesses.chance(canaries, count, right, epsilon, delta)
    assert actual == pytest.approx(expected, rel=1e-10)


@pytest.mark.slow("attacks many releases")
@pytest.mark.parametrize(("epsilon", "delta"), [(0.3, 0.0), (1.0, 0.0), (1.0, 1e-3), (2.0, 1e-4)])
def test_a_promise_that_is_just_kept_is_refuted_as_seldom_as_is_said(epsilon, delta):
    # Every coin is told truly with probability e^ε/(1 + e^ε), and given away with probability δ.
    canaries = 300
    true = math.exp(epsilon) / (1.0 + math.exp(epsilon))
    law = stats.binom(canaries, delta + (1.0 - delta) * true)
    right = np.arange(canaries + 1)
    bounds = np.array([guesses.least_epsilon(canaries, canaries, v, delta) for v in right.tolist()])
    refuted = float(law.pmf(right)[bounds > epsilon].sum())
    assert refuted <= 0.01
    if delta == 0.0:
        assert refuted >= 0.002  # as exact as whole numbers allow
    twice = stats.binom(canaries, math.exp(3.0 * epsilon) / (1.0 + math.exp(3.0 * epsilon)))
    assert float(twice.pmf(right)[bounds > epsilon].sum()) >= 0.9


def test_guesses_are_the_ends_of_the_order():
    inside = np.array([False, True, False, True, True, False])
    scores = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    assert guesses.guessed(scores, inside, 2) == 1  # out is right, in is wrong
    assert guesses.guessed(scores, inside, 3) == 2
    assert guesses.guessed(scores, inside, 6) == 3 + 3 - 2
    assert guesses.guessed(-scores, inside, 1) == 0


def test_faults_in_the_training_itself_are_found(monkeypatch):
    from dpcore.deep.clipping import PerExample

    drawn, summed = torch.Tensor.normal_, PerExample.clipped_sum
    for attack in attacks()["one-run"]:
        assert not run(attack, epsilon=4.0).flagged
        with monkeypatch.context() as fault:  # noise that is never added
            fault.setattr(torch.Tensor, "normal_", lambda *a, **k: drawn(*a, **k).mul_(0.0))
            assert run(attack, epsilon=4.0).flagged
        with monkeypatch.context() as fault:  # gradients that are never clipped
            fault.setattr(
                PerExample,
                "clipped_sum",
                lambda s, x, y, f, clip, **k: summed(s, x, y, f, 1e9, **k),
            )
            assert run(attack, epsilon=4.0).flagged


def test_all_scores_prove_far_more_than_the_surest_guesses():
    by_scores, by_guesses = (run(attack, epsilon=4.0) for attack in attacks()["one-run"])
    assert by_scores.lower_bound > 0.8 * by_scores.promise.epsilon
    assert 0.5 < by_guesses.lower_bound < 0.5 * by_scores.lower_bound
