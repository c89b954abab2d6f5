"""Curves of risks from counts: right where the counts tell, unchanged where noise hides all."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from dpcore.erm.risk_curve import curves

KNOTS = np.linspace(-6.0, 6.0, 32)
INNER = np.abs(KNOTS) < 2.5


def counts_of(log_odds, people: float) -> np.ndarray:
    """Expected counts of scores that are normal with the standard deviation 1.2."""
    mass = np.exp(-0.5 * (KNOTS / 1.2) ** 2)
    total = people * mass / mass.sum()
    risks = expit(log_odds(KNOTS))
    return np.stack([total * (1.0 - risks), total * risks])


@pytest.mark.parametrize(
    "truth",
    [
        lambda s: s,
        lambda s: 0.8 + 0.5 * s,
        lambda s: 2.0 * s - 1.0,
        lambda s: np.where(s > 0.0, 2.0 * s, 0.5 * s),
        lambda s: 2.0 * np.tanh(s),
    ],
    ids=["right", "too bold", "too shy", "bent", "saturating"],
)
def test_many_records_show_any_rising_curve(truth) -> None:
    actual = curves(counts_of(truth, 1e7)[None], KNOTS[None], np.array([5.0]))
    risks = expit(actual.log_odds[0])
    assert np.abs(risks - expit(truth(KNOTS)))[INNER].max() < 0.01
    scores = np.array([[-3.0, 0.1, 7.0]])
    assert actual.at(scores)[0, 1] == pytest.approx(truth(0.1), abs=0.08)
    assert actual.at(scores)[0, 2] == actual.log_odds[0, -1]


def test_noise_alone_changes_little_and_the_more_there_is_the_less() -> None:
    draw = np.random.default_rng(1)
    moved = []
    for sigma in (10.0, 1e3, 1e6):
        noise = sigma * draw.normal(size=(60, 2, len(KNOTS)))
        counts = counts_of(lambda s: s, 3e3) + noise
        result = curves(counts, np.tile(KNOTS, (60, 1)), np.full(60, sigma))
        moved.append(np.abs(expit(result.log_odds) - expit(KNOTS))[:, INNER].mean())
    assert moved[0] < 0.03
    assert max(moved) < 0.1


def test_the_curve_never_falls_whatever_the_counts() -> None:
    draw = np.random.default_rng(2)
    for sigma in (0.0, 3.0, 1e4):
        counts = np.stack(
            [
                draw.normal(scale=1e4, size=(2, 32)),
                np.zeros((2, 32)),
                np.where(np.arange(32) == 7, 1e9, 0.0) * np.ones((2, 1)),
                counts_of(lambda s: -2.0 * s, 1e6),
                np.full((2, 32), -1e12),
            ]
        )
        result = curves(counts, np.tile(KNOTS, (5, 1)), np.full(5, sigma))
        assert np.isfinite(result.log_odds).all()
        assert (np.diff(result.log_odds, axis=1) >= 0.0).all()
        assert result.log_odds[4] == pytest.approx(KNOTS)  # nothing was counted
    assert np.ptp(result.log_odds[3][INNER]) < 0.2  # of a reversed model: nobody differs


def test_knots_without_records_count_for_nothing() -> None:
    draw = np.random.default_rng(3)
    gap = KNOTS[1] - KNOTS[0]
    wide = KNOTS[0] + gap * np.arange(-32, 64)  # three times as many, with the same gap
    errors = []
    for knots, first in ((KNOTS, 0), (wide, 32)):
        counts = 20.0 * draw.normal(size=(40, 2, len(knots)))
        counts[:, :, first : first + 32] += counts_of(lambda s: s + 0.5, 3e3)
        result = curves(counts, np.tile(knots, (40, 1)), np.full(40, 20.0))
        inner = np.flatnonzero(np.abs(knots) < 2.5)
        errors.append(np.abs(expit(result.log_odds) - expit(knots + 0.5))[:, inner].mean())
    assert errors[1] < 2.0 * errors[0] < 0.12
