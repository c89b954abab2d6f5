"""The exponential mechanism: a choice among options, likelier for higher scores.

Option r is drawn with probability ∝ exp(a q(r)), a being the rate. Let q′ be a neighbour's scores
and R the *range* of the changes, R = max_r (q′(r) - q(r)) - min_r (q′(r) - q(r)). Then

    log P(r)/P′(r) = a (q(r) - q′(r)) + log E_{s ~ P} exp(a (q′(s) - q(s)))

lies in [-a R, a R], so that a = ε/R is (ε, 0)-private. Scores that each move by at most Δ have
R ≤ 2Δ, the textbook's factor; scores that all move the same way have R ≤ Δ. Moreover, for one
pair of neighbours all log ratios lie in an interval of length ε ("bounded range"), which is
ε²/8-zCDP.

Only the range depends on the adjacency: pass the range for the adjacency in use.

Source: McSherry and Talwar 2007, Theorem 6; Cesar and Rogers 2021, Lemma 3.4, for ε²/8.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.errors import number, reject


def exponential_rate(epsilon: float, score_range: float = 1.0) -> float:
    """The rate ε/R of an (ε, 0)-private choice, rounded down.

    Parameters
    ----------
    epsilon : float
        Above 0.
    score_range : float
        R, the range of the changes of the scores between neighbours, above 0; carries the
        adjacency.

    Returns
    -------
    float
        The factor of the scores.

    Raises
    ------
    InvalidInput
        If an argument is outside its range.

    References
    ----------
    McSherry and Talwar 2007, Theorem 6.
    """
    epsilon = number("epsilon", epsilon, above=0.0)
    return math.nextafter(epsilon / number("score_range", score_range, above=0.0), 0.0)


def exponential_epsilon(rho: float) -> float:
    """The ε of a choice that costs ρ: √(8ρ), rounded down.

    A choice by this mechanism at ε costs ρ = ε²/8, which composes as ρ-zCDP does, also adaptively.
    Adjacency is that of ε.

    Raises
    ------
    InvalidInput
        If ρ is not a finite number above 0.
    """
    return math.sqrt(8.0 * number("rho", rho, above=0.0)) * (1.0 - 1e-15)


def choose(
    generator: np.random.Generator | Sequence[np.random.Generator],
    scores: ArrayLike,
    rate: ArrayLike,
) -> NDArray[np.int64]:
    """One option for each set of scores, drawn with probability ∝ exp(rate · score).

    The largest of rate · score + Gumbel noise has this distribution. For exploration only: whoever
    knows the seed of the generator knows the choice.

    Parameters
    ----------
    generator : numpy.random.Generator, or a sequence of them
        Source of randomness; of several, one for each index of the first axis of scores.
    scores : array of shape (…, options)
        Finite.
    rate : float, or array that broadcasts against the leading shape
        At least 0; infinite for the best option, one of several at random.

    Returns
    -------
    array of int, shape (…)
        Index of the chosen option.

    Raises
    ------
    InvalidInput
        If a score is not finite, there is no option, or a rate is negative.
    """
    values = np.asarray(scores, dtype=np.float64)
    rates = np.asarray(rate, dtype=np.float64)
    if values.ndim == 0 or not values.shape[-1] or not np.isfinite(values).all():
        raise reject("scores", "not a number, or empty", "finite, at least one an option")
    if not (rates >= 0.0).all():
        raise reject("rate", "negative", "at least 0")
    if isinstance(generator, np.random.Generator):
        noise = generator.gumbel(size=values.shape)
    else:
        shape = values.shape[1:]
        noise = np.stack([each.gumbel(size=shape) for each in generator])
    best = values.max(axis=-1, keepdims=True)
    certain = np.isinf(rates)
    # Differences from the best score: large counts times a rate keep their last digits.
    ranked = np.where(certain, 0.0, rates)[..., None] * (values - best) + noise
    ranked = np.where(certain[..., None] & (values < best), -np.inf, ranked)
    return np.asarray(ranked.argmax(axis=-1), dtype=np.int64)
