"""Analytic Gaussian σ: how many a second, against a peer, against the floor, and how exact.

Run: python -m benchmarks.gaussian_sigma

- ours: `analytic_sigma` over one array of (ε, δ), log-uniform over the promised range
  (ε from 1e-12 to 1e3, δ from 1e-300 to 1/2) and over the range people use.
- peer: a loop over `dp_accounting.get_sigma_gaussian` on a sample of the same points; only the
  points at which it returns a number are timed.
- floor: one pass of `scipy.special.log_ndtr` over an array of the same length, on one core. No
  method can evaluate δ even once for less than about that.
- exactness: against mpmath on a grid over the whole range, at 100 digits. The relative error of σ
  is the distance in log δ over its exact derivative.
"""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Callable

import dp_accounting
import mpmath
import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from dpcore.mechanisms.gaussian import analytic_sigma

POINTS = 1_000_000
SAMPLE = 400
REPEATS = 7
GRID = (91, 101)

Array = NDArray[np.float64]


def seconds(function: Callable[[], object]) -> float:
    """Median of a few runs, the first (which warms caches and threads) left out."""
    durations = []
    for _ in range(REPEATS + 1):
        start = time.perf_counter()
        function()
        durations.append(time.perf_counter() - start)
    return statistics.median(durations[1:])


def peer(epsilon: Array, delta: Array) -> tuple[float, int, float]:
    """Seconds a point where it answers, how often it does not, its worst distance from ours."""
    total, failed, worst = 0.0, 0, 0.0
    ours = analytic_sigma(epsilon, delta)
    for one_epsilon, one_delta, sigma in zip(
        epsilon.tolist(), delta.tolist(), ours.tolist(), strict=True
    ):
        start = time.perf_counter()
        try:
            answer = dp_accounting.get_sigma_gaussian(one_epsilon, one_delta)
        except (ValueError, RuntimeError, FloatingPointError):
            failed += 1
            continue
        if not math.isfinite(answer):
            failed += 1
            continue
        total += time.perf_counter() - start
        worst = max(worst, abs(answer / sigma - 1))
    return total / (len(ours) - failed), failed, worst


def speed(title: str, epsilon: Array, delta: Array) -> None:
    ours = seconds(lambda: analytic_sigma(epsilon, delta)) / POINTS
    floor = seconds(lambda: log_ndtr(epsilon - 1.0 / delta)) / POINTS
    with np.errstate(all="ignore"):
        theirs, failed, worst = peer(epsilon[:SAMPLE], delta[:SAMPLE])
    print(f"{title}")
    print(f"  ours   {1 / ours:12,.0f} σ a second   ({ours * 1e9:.0f} ns each)")
    print(f"  peer   {1 / theirs:12,.0f} σ a second   ours is {theirs / ours:,.0f} times as fast")
    print(f"         without an answer at {failed} of {SAMPLE}; worst distance {worst:.1e}")
    print(f"  floor  {1 / floor:12,.0f} a second      ours takes {ours / floor:.1f} times as long")


def exact_log_delta(epsilon: float, sigma: float) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Exact log δ, and its derivative in log σ."""
    level = 1 / mpmath.mpf(sigma)
    low = epsilon / level - level / 2
    root = mpmath.sqrt(2)
    delta = (mpmath.erfc(low / root) - mpmath.exp(epsilon) * mpmath.erfc((low + level) / root)) / 2
    return mpmath.log(delta), -level * mpmath.npdf(low) / delta


def exactness() -> None:
    epsilon = np.geomspace(1e-12, 1e3, GRID[0])[:, None]
    # Half of the grid where δ is large: σ hangs least on δ there, so errors weigh most.
    delta = np.concatenate([np.geomspace(1e-300, 0.5, GRID[1]), np.geomspace(1e-14, 0.5, GRID[1])])[
        None, :
    ]
    sigma = analytic_sigma(epsilon, delta)
    errors = []
    with mpmath.workdps(100):
        for (row, column), value in np.ndenumerate(sigma):
            log_delta, slope = exact_log_delta(float(epsilon[row, 0]), float(value))
            excess = (log_delta - mpmath.log(float(delta[0, column]))) / slope
            errors.append(float(excess))
    unsafe = sum(error < 0 for error in errors)
    print(f"exactness on {GRID[0]} x {2 * GRID[1]} points of the whole range")
    print(f"  σ above the exact value by {min(errors):.4e} to {max(errors):.4e} (relative)")
    print(f"  on the unsafe side: {unsafe} of {len(errors)}")


def main() -> None:
    print(f"{os.cpu_count()} cores, {POINTS:,} points")
    generator = np.random.default_rng(0)
    speed(
        "whole range",
        10 ** generator.uniform(-12, 3, POINTS),
        10 ** generator.uniform(-300, math.log10(0.5), POINTS),
    )
    speed(
        "ε from 1e-2 to 10, δ from 1e-12 to 1e-2",
        10 ** generator.uniform(-2, 1, POINTS),
        10 ** generator.uniform(-12, -2, POINTS),
    )
    start = time.perf_counter()
    for _ in range(1000):
        analytic_sigma(1.0, 1e-5)
    print(f"one number at a time: {(time.perf_counter() - start) * 1e3:.0f} µs a call")
    exactness()


if __name__ == "__main__":
    main()
