"""A privacy loss distribution on a grid, and what it says of ε and δ."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

Array = NDArray[np.float64]

SUMS = 1e-9  # relative error of a running sum over the longest grid


@dataclass(frozen=True)
class LossDistribution:
    """A discrete privacy loss distribution in one direction of an adjacency.

    Parameters
    ----------
    losses : (k,) array
        Grid of losses, ascending.
    masses : (k,) array
        Probability under P of each.
    infinite : float
        P-mass at infinite loss.
    log_stray, tilt : float
        e^(log_stray - tilt ε) bounds the error of δ(ε) from rounding and wrapping.
    largest : float
        Largest finite loss of the composition; beyond it δ is `infinite`, without stray mass.
    optimistic : bool
        False: δ(ε) and ε(δ) are upper bounds. True: lower bounds.
    """

    losses: Array
    masses: Array
    infinite: float
    log_stray: float
    tilt: float
    largest: float
    optimistic: bool

    @property
    def interval(self) -> float:
        """Distance of neighbouring losses."""
        return float(self.losses[1] - self.losses[0])

    def delta(self, epsilon: float) -> float:
        """δ(ε) at any real ε, rounded to the safe side of its bound."""
        if epsilon >= self.largest:
            return self.infinite
        above = self.losses > epsilon
        mass = float(self.masses[above] @ -np.expm1(epsilon - self.losses[above]))
        stray = math.exp(min(self.log_stray - self.tilt * epsilon, 1.0))
        if self.optimistic:
            return max(0.0, mass * (1.0 - SUMS) - stray)
        return min(1.0, mass * (1.0 + SUMS) + self.infinite + stray)

    def epsilon(self, delta: float) -> float:
        """The smallest ε ≥ 0 with δ(ε) ≤ `delta`, on the safe side; ``inf`` if there is none."""
        if self.infinite > delta:
            return math.inf
        if not self.optimistic and self.delta(0.0) <= delta:
            return 0.0
        above, at = self._tails()
        stray = np.exp(np.minimum(self.log_stray - self.tilt * self.losses, 1.0))
        if self.optimistic:
            # The last grid point still above δ, and on from there along the chord.
            high = np.flatnonzero((self.losses > 0.0) & (at * (1.0 - SUMS) - stray > delta))
            if len(high) == 0:
                return 0.0
            k = int(high[-1]) + 1
            start = float(self.losses[k - 1])
            if k == len(self.losses):
                return start
            ratio = (above[k] * (1.0 - SUMS) - delta - stray[k - 1]) / (above[k] - at[k])
            inside = float(self.losses[k]) + math.log(max(float(ratio), 1e-300))
            return max(start, inside - SUMS)
        within = at * (1.0 + SUMS) + self.infinite + stray <= delta
        reached = np.flatnonzero((self.losses > 0.0) & within)
        if len(reached) == 0 or self.losses[reached[0]] >= self.largest:
            return max(self.largest, 0.0)
        k = int(reached[0])
        # δ(ε) = Σ_{j≥k} m_j - e^{ε-ε_k} Σ_{j≥k} m_j e^{ε_k-ε_j} within (ε_{k-1}, ε_k]; the stray
        # part is taken at ε_{k-1}, where it is largest.
        least = above[k] - at[k]
        rest = above[k] * (1.0 + SUMS) + self.infinite + stray[max(k - 1, 0)] - delta
        if not least > 0.0:
            return float(self.losses[k])
        inside = float(self.losses[k]) + math.log(max(float(rest / least), 1e-300)) + SUMS
        return min(max(inside, 0.0), float(self.losses[k])) * (1.0 + 1e-15)

    def roc(self) -> tuple[Array, Array]:
        """(FPR, TPR) of the threshold tests on the loss, ascending, with both ends.

        Every attack lies on or below the polygon through them: the lower envelope of the lines
        TPR = e^ε FPR + δ(ε). Only for a whole curve: not tilted, and not optimistic.
        """
        if self.tilt != 0.0 or self.optimistic:
            raise ValueError("an attacker's curve needs a whole, pessimistic distribution")
        extra = self.infinite + math.exp(self.log_stray)
        step = math.exp(-self.interval)
        # Σ_{j≥k} m_j e^{ε_k-ε_j}
        weight = _fading_sum(self.masses[::-1], step)
        with np.errstate(over="ignore", invalid="ignore"):
            false = np.nan_to_num(weight * np.exp(-self.losses[::-1]), nan=1.0, posinf=1.0)
        true = np.cumsum(self.masses[::-1]) * (1.0 + SUMS) + extra
        return (
            np.concatenate(([0.0], np.maximum.accumulate(np.minimum(false, 1.0)), [1.0])),
            np.minimum(np.concatenate(([extra], true, [1.0])), 1.0),
        )

    def _tails(self) -> tuple[Array, Array]:
        """Σ_{j≥k} m_j and δ(ε_k) without the stray part, for every grid point k."""
        above = np.cumsum(self.masses[::-1])
        # δ(ε_{k-1}) = e^{-h} δ(ε_k) + (1 - e^{-h}) Σ_{j≥k} m_j: a recursion without cancellation.
        step = self.interval
        earlier = np.concatenate(([0.0], above[:-1]))
        at = _fading_sum(-math.expm1(-step) * earlier, math.exp(-step))
        return above[::-1], at[::-1]


def _fading_sum(values: Array, share: float) -> Array:
    """The y with y_k = values_k + share · y_{k-1} from y_{-1} = 0, for a share in (0, 1).

    As the solution of a system with two diagonals: `scipy.signal.lfilter` gives the same digits,
    but half of SciPy is loaded with it.
    """
    diagonals = np.ones((2, len(values)), order="F")
    diagonals[1] = -share
    solution, _ = scipy.linalg.lapack.dtbtrs(diagonals, values[:, None], uplo="L", diag="U")
    return np.asarray(solution[:, 0])
