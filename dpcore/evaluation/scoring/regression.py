"""Models that predict a number: root mean squared error in the number's own unit, and R².

Predictions are first clipped to the public range of the number, which costs no privacy. For w + z
with z ~ N(0, σ²I) the prediction for record i is N(wᵀxᵢ, σ²‖xᵢ‖²), so the expected square has a
closed form. For several models or for noise, the RMSE is the root of the mean square over all.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from dpcore.datasets import Split
from dpcore.erm.problem import Problem
from dpcore.evaluation.scoring import metrics
from dpcore.evaluation.scoring.base import Array, Metric, Scoring, holding, over_runs

if TYPE_CHECKING:
    import pandas as pd

BLOCK_ENTRIES = 2**21  # predictions held at once

RMSE = Metric("rmse", -1.0, math.nan, run="rmse_test")
"""Of no records: its span and unit are those of what is predicted."""


def mean_squares(weights: Array, features: Array, targets: Array) -> Array:
    """Mean of (clip(wᵀx, -1, 1) - y)² for each row of `weights` (k, d); shape (k,).

    y is in [-1, 1]; the result is in the square of its units, and nan without any.
    """
    if not len(targets):
        return np.full(len(weights), np.nan)
    result = np.empty(len(weights))
    together = max(1, BLOCK_ENTRIES // max(1, len(targets)))
    for start in range(0, len(weights), together):
        predictions = np.clip(features @ weights[start : start + together].T, -1.0, 1.0)
        result[start : start + together] = np.mean((predictions - targets[:, None]) ** 2, axis=0)
    return result


def expected_mean_squares(centres: Array, sigmas: Array, features: Array, targets: Array) -> Array:
    """E of `mean_squares` over w + N(0, σ²I), in closed form; one (w, σ) a row of `centres`.

    Centres are (models, d), σ (models,), features (n, d), targets (n,); the result is (models,).

    With m = wᵀx, s = σ‖x‖, a = (-1-m)/s and b = (1-m)/s it is Φ(a) (1+y)² + Φ(-b) (1-y)² plus the
    part between, (c² + s²) P + 2cs (φ(a) - φ(b)) + s² (a φ(a) - b φ(b)) with c = m - y and
    P = Φ(b) - Φ(a). That loses its digits for wide noise; for s > 1 the density hardly bends
    between the ends, and 24 Gauss-Legendre points suffice.
    """
    lengths = np.sqrt(np.einsum("nd,nd->n", features, features))
    result = np.empty(len(centres))
    for row, (centre, sigma) in enumerate(zip(centres, sigmas, strict=True)):
        result[row] = np.mean(_expected_square(features @ centre, sigma * lengths, targets))
    return result


def _expected_square(means: Array, spreads: Array, targets: Array) -> Array:
    """E (clip(m + s ξ, -1, 1) - y)², ξ ~ N(0, 1), element by element."""
    still = (np.clip(means, -1.0, 1.0) - targets) ** 2
    scale = np.where(spreads > 0.0, spreads, 1.0)
    low, high = (-1.0 - means) / scale, (1.0 - means) / scale
    between = np.empty_like(still)
    wide = scale > 1.0
    between[wide] = _between_wide(means[wide], scale[wide], targets[wide])
    near = ~wide
    between[near] = _between_near(means[near], scale[near], targets[near], low[near], high[near])
    ends = special.ndtr(low) * (1.0 + targets) ** 2 + special.ndtr(-high) * (1.0 - targets) ** 2
    return np.asarray(np.where(spreads > 0.0, ends + np.maximum(between, 0.0), still))


def _between_near(means: Array, scale: Array, targets: Array, low: Array, high: Array) -> Array:
    """E (m + s ξ - y)² where -1 < m + s ξ < 1, else 0; for s ≤ 1."""
    at_low, at_high, gap = _density(low), _density(high), means - targets
    return np.asarray(
        (gap**2 + scale**2) * (special.ndtr(high) - special.ndtr(low))
        + 2.0 * gap * scale * (at_low - at_high)
        + scale**2 * (low * at_low - high * at_high)
    )


def _between_wide(means: Array, scale: Array, targets: Array) -> Array:
    """`_between_near` for s > 1."""
    points, mass = np.polynomial.legendre.leggauss(24)
    height = _density((points - means[:, None]) / scale[:, None]) / scale[:, None]
    return np.asarray(((points - targets[:, None]) ** 2 * height) @ mass)


def _density(points: Array) -> Array:
    clipped = np.clip(points, -40.0, 40.0)
    return np.asarray(np.exp(-0.5 * clipped**2) / np.sqrt(2.0 * np.pi))


def noisy_mean_squares(
    centres: Array, sigmas: Array, draws: Array, features: Array, targets: Array
) -> Array:
    """`mean_squares` of w + σ z for every draw z, shape (k, number of draws); draws are shared."""
    moves = features @ draws.T
    result = np.empty((len(centres), len(draws)))
    for row, (centre, sigma) in enumerate(zip(centres, sigmas, strict=True)):
        predictions = np.clip((features @ centre)[:, None] + sigma * moves, -1.0, 1.0)
        result[row] = np.mean((predictions - targets[:, None]) ** 2, axis=0)
    return result


def half_range(split: Split) -> float:
    """The unit of scaled y in its own unit: half its public range."""
    lower, upper = split.entry.target.bounds
    return 0.5 * (upper - lower)


class Regression(Scoring):
    run_columns: tuple[str, ...] = ("rmse_train", "rmse_test", "r2_train", "r2_test")
    measured: tuple[str, ...] = ("rmse", "r2")
    banded: tuple[Metric, ...] = (RMSE,)
    exact = True

    def measures(self, split: Split) -> tuple[Metric, ...]:
        """RMSE in the unit of y, against its public range."""
        return (replace(RMSE, span=2.0 * half_range(split), unit=split.entry.target.unit),)

    def of_runs(self, problem: Problem, split: Split, models: Array) -> dict[str, Array]:
        """Measures of every model."""
        unit = half_range(split)
        train = mean_squares(models, *split.known)
        test = mean_squares(models, split.x_test, split.y_test)
        return {
            "rmse_train": unit * np.sqrt(train),
            "rmse_test": unit * np.sqrt(test),
            "r2_train": _explained(train, split.known[1]),
            "r2_test": _explained(test, split.y_test),
            "objective": metrics.objectives(problem, models, split.x_train, split.y_train),
        }

    def expected(
        self, split: Split, centres: Array, sigmas: Array, draws: Array
    ) -> tuple[dict[str, Array], dict[str, Array]]:
        """The root of the expected square, and of that of each draw."""
        mean = expected_mean_squares(centres, sigmas, split.x_test, split.y_test)
        single = noisy_mean_squares(centres, sigmas, draws, split.x_test, split.y_test)
        return self._named(mean, split), self._named(single, split)

    def _named(self, squares: Array, split: Split) -> dict[str, Array]:
        values = half_range(split) * np.sqrt(squares), _explained(squares, split.y_test)
        return dict(zip(self.measured, values, strict=True))

    def over_runs(self, positive: Array, runs: pd.DataFrame) -> dict[str, float]:
        """The root of the mean square over runs; the band from 5 % to 95 % of them."""
        named = {name: runs[f"{name}_test"].to_numpy() for name in self.measured}
        statistics = over_runs(named, runs["split"].to_numpy(), self.banded)
        mean = float(np.sqrt(np.mean(named["rmse"] ** 2)))
        low, high = holding(mean, statistics["rmse_low"], statistics["rmse_high"])
        return statistics | {"rmse": mean, "rmse_low": float(low), "rmse_high": float(high)}

    def intervals(self, split: Split, weights: Array) -> dict[str, tuple[float, float]]:
        """Intervals by the spread of the test records' squares, their mean taken to be normal."""
        predictions = np.clip(split.x_test @ weights, -1.0, 1.0)
        squares = (predictions - split.y_test) ** 2
        reach = float(special.ndtri(0.975) * np.std(squares) / np.sqrt(max(1, len(squares) - 1)))
        middle, unit = float(np.mean(squares)), half_range(split)
        ends = unit * math.sqrt(max(0.0, middle - reach)), unit * math.sqrt(middle + reach)
        return {"rmse": ends}

    def guesses(self, split: Split) -> dict[str, float]:
        """Measures of always answering the mean of the training records."""
        _, targets = split.known
        gaps = split.y_test - (np.mean(targets) if len(targets) else 0.0)
        return {"rmse": half_range(split) * float(np.sqrt(np.mean(gaps**2)))}

    def validation_score(self, values: Array) -> Array:
        """Minus the mean square of the residuals."""
        return np.asarray(-np.mean(values**2, axis=0))


def _explained(squares: Array, targets: Array) -> Array:
    """R²: 1 less the mean square over the variance of y; ``nan`` where y does not vary."""
    if not (targets != targets[:1]).any():
        return np.full_like(squares, np.nan)
    return np.asarray(1.0 - squares / np.var(targets))


REGRESSION = Regression()
