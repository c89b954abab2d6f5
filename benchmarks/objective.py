"""Objective perturbation, 10 ε × 30 runs at once, against fitting one after the other.

Run: python -m benchmarks.objective [--repeats 3]

- ours: `dpcore.erm.objective_perturbation`, all 300 tilted objectives in one batch.
- one at a time: SciPy's L-BFGS-B, which is scikit-learn's solver "lbfgs" for logistic regression
  (scikit-learn itself takes no linear term), to the same norm of the gradient of the sum. Measured
  on one run of every ε and scaled by the runs; the worst gradient it reached is printed.
- floor: one fit without privacy (Newton's method).

Adult from the folder that DPCORE_DATA names; without it, the synthetic cohort with as many records.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time

import numpy as np
from scipy import optimize, special

from benchmarks.sweep import ADULT_RECORDS
from dpcore.datasets import availability, load, prepare
from dpcore.erm.method import Settings, Training, noise_generator
from dpcore.erm.methods import method_named
from dpcore.erm.newton import minimise
from dpcore.erm.objective_perturbation import TOLERANCE
from dpcore.erm.problem import Problem, default_lam
from dpcore.guarantee import Adjacency, Edition

RUNS, DELTA = 30, 1e-5
EPSILONS = tuple(float(each) for each in np.geomspace(0.01, 10.0, 10))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    adult = availability("adult") == "local"
    split = prepare(load("adult") if adult else load("cohort", records=ADULT_RECORDS))
    x, y = split.x_train, split.y_train
    records, dimension = x.shape
    problem = Problem(
        "logistic", default_lam(records, dimension), records, dimension, Adjacency.ZERO_OUT
    )
    method = method_named("objpert")
    calibrations = method.calibrate(problem, EPSILONS, DELTA, Edition.SOUND, Settings())
    print(
        f"{split.entry.title}: n = {records:,}, d = {dimension}; {len(EPSILONS)} ε × {RUNS} runs, "
        f"gradient of the sum below {TOLERANCE:g}; load {os.getloadavg()[0]:.1f}"
    )
    signed = x * y[:, None]

    def fit_one(ridge: float, tilt: np.ndarray) -> float:
        def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
            margins = signed @ w
            value = np.logaddexp(0.0, -margins).sum() + 0.5 * ridge * w @ w + tilt @ w
            return value, ridge * w + tilt - special.expit(-margins) @ signed

        options = {"gtol": TOLERANCE / np.sqrt(dimension), "ftol": 0.0, "maxiter": 10_000}
        solution = optimize.minimize(
            objective, np.zeros(dimension), jac=True, method="L-BFGS-B", options=options
        )
        return float(np.linalg.norm(objective(solution.x)[1]))

    seconds: dict[str, list[float]] = {"ours": [], "one at a time": [], "floor": []}
    worst = 0.0
    for repeat in range(repeats):
        started = time.perf_counter()
        method.release(Training(problem, x, y, calibrations, RUNS, repeat))
        seconds["ours"].append(time.perf_counter() - started)
        started = time.perf_counter()
        for calibration in calibrations:
            tilt = calibration.model_noise * noise_generator(repeat, 0).standard_normal(dimension)
            worst = max(worst, fit_one(calibration.ridge, tilt))
        seconds["one at a time"].append((time.perf_counter() - started) * RUNS)
        started = time.perf_counter()
        minimise(problem, x, y)
        seconds["floor"].append(time.perf_counter() - started)
    ours = statistics.median(seconds["ours"])
    for name, times in seconds.items():
        ratios = statistics.median(t / o for t, o in zip(times, seconds["ours"], strict=True))
        print(f"{name:14} {statistics.median(times):9.2f} s   {ratios:8.2f} × ours")
    print(f"largest gradient that one at a time reached: {worst:.2g}")
    print(f"at least 20×: {'yes' if _ratio(seconds) >= 20.0 else 'no'}; ours {ours:.2f} s")


def _ratio(seconds: dict[str, list[float]]) -> float:
    pairs = zip(seconds["one at a time"], seconds["ours"], strict=True)
    return statistics.median(one / ours for one, ours in pairs)


if __name__ == "__main__":
    main()
