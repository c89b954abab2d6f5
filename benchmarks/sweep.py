"""A whole sweep (10 ε × 30 runs of every method) against a plain loop, and against the floor.

Run: python -m benchmarks.sweep [--grid paper|practical] [--repeats 3]

- ours: `dpcore`, all (ε, run) pairs of a method in one batch; training alone, and the whole
  `sweep` (loading excluded; calibration, which looks at no data, is timed apart and taken off).
- plain loop: every (ε, run) trained and evaluated on its own with the same mathematics and its own
  draws of noise, in NumPy: two matrix-vector products a step for the full-batch methods, one row a
  step for the stochastic ones. Measured on `PAIRS` of the 300 pairs of each method, spread over ε,
  each for at most `STEPS` of its steps, and scaled by the steps of all pairs. The non-private fit
  is counted once: it is the same for all.
- frugal loop, for information: the same loop with sparse products where the rows are mostly zeros.
- floor: without privacy, one fit (Newton), one descent of the longest T, one pass of SGD.

All of them are measured once in each round, one right after the other; shown are medians over the
rounds, of the seconds and of the ratios.

Adult (n = 36,156, d = 104) from the folder that DPCORE_DATA names; without it, the synthetic cohort
with as many training records. λ = 1e-3. The paper's grid: ε from 1e-9 to 1, δ = 1e-3; the practical
one: ε from 0.01 to 10, δ = 1e-5.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from dpcore.datasets import Preparation, Split, availability, load, prepare
from dpcore.erm.method import Calibration, Training
from dpcore.erm.methods import method_named
from dpcore.erm.methods.dpgd import MOMENTUM
from dpcore.erm.newton import minimise
from dpcore.erm.output_perturbation import descend
from dpcore.erm.problem import Problem
from dpcore.evaluation.study import Study, calibrations_for, delta_for, problem_for
from dpcore.evaluation.sweep import sweep

Array = NDArray[np.floating]

RUNS, LAM = 30, 1e-3
ADULT_RECORDS = 45_195  # complete records; four fifths of them train
GRIDS = {
    "paper": (tuple(10.0**power for power in range(-9, 1)), 1e-3),
    "practical": (tuple(float(e) for e in np.geomspace(0.01, 10.0, 10)), 1e-5),
}
STOCHASTIC = "the SGD pair at T = n"
GROUPS = {
    "all but the SGD pair": ("nonprivate", "outpert", "opera", "dpgd"),
    STOCHASTIC: ("sgdpert", "grpua"),
}
TARGETS = {"all but the SGD pair": 5.0, STOCHASTIC: 40.0}
PAIRS, STEPS = 3, {"full": 60, "stochastic": 10**9}


def records() -> tuple[str, Split]:
    if availability("adult") == "local":
        return "adult", prepare(load("adult"), Preparation())
    return "cohort", prepare(load("cohort", records=ADULT_RECORDS), Preparation())


def train(split: Split, batch: list[Calibration], seed: int) -> Array:
    """One batch of calibrations that share an engine."""
    release = method_named(batch[0].method).release
    return release(Training(batch[0].problem, split.x_train, split.y_train, batch, RUNS, seed))


def engines(calibrations: dict[str, list[Calibration]]) -> list[list[Calibration]]:
    together: dict[object, list[Calibration]] = {}
    for key, group in calibrations.items():
        together.setdefault(method_named(key).release, []).extend(group)
    return list(together.values())


def plain_descent(rows: Array, problem: Problem, one: Calibration, steps: int, seed: int) -> Array:
    """OutPert and OPERA, one (ε, run): gradient descent, then noise."""
    generator = np.random.default_rng(seed)
    weights = np.zeros(problem.dimension)
    for _ in range(steps):
        gradient = rows.T @ problem.function.slope(rows @ weights) / problem.records
        weights = weights - one.learning_rate * (gradient + problem.lam * weights)
    return weights + one.model_noise * generator.standard_normal(len(weights))


def plain_dpgd(rows: Array, problem: Problem, one: Calibration, steps: int, seed: int) -> Array:
    """DP-GD, one (ε, run)."""
    generator = np.random.default_rng(seed)
    weights, velocity = np.zeros(problem.dimension), np.zeros(problem.dimension)
    for _ in range(steps):
        gradient = rows.T @ problem.function.slope(rows @ weights) / problem.records
        noise = one.model_noise * generator.standard_normal(len(weights))
        velocity = MOMENTUM * velocity + gradient + problem.lam * weights + noise
        weights = weights - one.learning_rate * velocity
    return weights


def plain_stochastic(
    rows: Array, problem: Problem, one: Calibration, steps: int, seed: int
) -> Array:
    """SgdPert and GRPUA as published, one (ε, run): one random record a step."""
    generator = np.random.default_rng(seed)
    weights = np.zeros(problem.dimension)
    picks = generator.integers(0, len(rows), steps).tolist()
    noise = one.model_noise * generator.standard_normal((steps, len(weights)))
    lam, rate = problem.lam, one.learning_rate
    for step, pick in enumerate(picks, start=1):
        row = rows[pick]
        margin = float(row @ weights)
        slope = -1.0 / (1.0 + math.exp(min(margin, 700.0)))
        weights = weights - rate / step * (slope * row + lam * weights + noise[step - 1])
    return weights


def plain_evaluation(split: Split, problem: Problem, weights: Array) -> None:
    """The numbers of one row of a sweep."""
    margins = split.y_train * (split.x_train @ weights)
    np.logaddexp(0.0, -margins).mean() + 0.5 * problem.lam * weights @ weights
    np.mean(margins > 0)
    scores = split.x_test @ weights
    positive = split.y_test > 0
    np.mean((scores > 0)[positive]), np.mean((scores <= 0)[~positive])
    stats.rankdata(scores)[positive].sum()


def loop_seconds(
    split: Split, group: list[Calibration], rows: Array, evaluate: bool = True
) -> tuple[float, float]:
    """(training, evaluation) seconds of a plain loop over one method's (ε, run) pairs, scaled."""
    problem = group[0].problem
    if group[0].method == "nonprivate":
        return timed(lambda: minimise(problem, split.x_train, split.y_train)), 0.0
    kind = {"dpgd": plain_dpgd, "sgdpert": plain_stochastic, "grpua": plain_stochastic}
    plain = kind.get(group[0].method, plain_descent)
    most_steps = STEPS["stochastic" if plain is plain_stochastic else "full"]
    chosen = [group[i] for i in np.linspace(0, len(group) - 1, PAIRS).round().astype(int)]
    training_seconds, steps_done, evaluation_seconds = 0.0, 0, 0.0
    for number, calibration in enumerate(chosen):
        steps = min(calibration.steps, most_steps)
        start = time.perf_counter()
        weights = plain(rows, problem, calibration, steps, number)
        middle = time.perf_counter()
        if evaluate:
            plain_evaluation(split, problem, weights)
        evaluation_seconds += time.perf_counter() - middle
        training_seconds, steps_done = training_seconds + middle - start, steps_done + steps
    all_steps = RUNS * sum(calibration.steps for calibration in group)
    return training_seconds / steps_done * all_steps, evaluation_seconds / len(chosen) * RUNS * len(
        group
    )


def floor_seconds(name: str, split: Split, batches: list[list[Calibration]]) -> float:
    """The same work once, without privacy."""
    problem = batches[0][0].problem
    x, y = split.x_train, split.y_train
    if name == STOCHASTIC:
        noiseless = replace(batches[0][0], model_noise=0.0)
        rows = x * y[:, None]
        return timed(lambda: plain_stochastic(rows, problem, noiseless, noiseless.steps, 0))
    fit = timed(lambda: minimise(problem, x, y))
    longest = max((c for b in batches for c in b if c.sampling == "all"), key=lambda c: c.steps)
    descent = timed(lambda: descend(problem, x, y, longest.learning_rate, [longest.steps]))
    return fit + descent


def timed(function: Callable[[], object]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def one_round(name: str, study: Study, split: Split) -> dict[str, float]:
    """Every quantity once, one right after the other."""
    problem, delta = problem_for(study, split), delta_for(study, split)
    calibrations = calibrations_for(study, problem, delta)
    batches = engines(calibrations)
    seconds = {}
    for batch in batches:
        methods = ", ".join(dict.fromkeys(calibration.method for calibration in batch))
        seconds[f"ours, training {methods}"] = timed(partial(train, split, batch, study.seed))
    seconds["ours, training"] = sum(seconds.values())
    sweep_seconds = timed(lambda: sweep(study, split=split))
    seconds["ours, training and evaluation"] = sweep_seconds
    rows = split.x_train * split.y_train[:, None]
    pairs = [loop_seconds(split, group, rows) for group in calibrations.values()]
    seconds["plain loop, training"] = sum(training for training, _ in pairs)
    seconds["plain loop, training and evaluation"] = sum(sum(pair) for pair in pairs)
    if name != STOCHASTIC:
        sparse_rows, groups = sparse.csr_array(rows), calibrations.values()
        seconds["frugal loop, training"] = sum(
            loop_seconds(split, group, sparse_rows, evaluate=False)[0] for group in groups
        )
    seconds["floor: once, without privacy"] = floor_seconds(name, split, batches)
    return seconds


def compare(name: str, study: Study, split: Split, repeats: int) -> None:
    problem, delta = problem_for(study, split), delta_for(study, split)
    print(f"\n{name}: {', '.join(study.methods)} ({study.edition}); target {TARGETS[name]:g} s")
    calibrating = timed(lambda: calibrations_for(study, problem, delta))
    for key, group in calibrations_for(study, problem, delta).items():
        steps = [calibration.steps for calibration in group]
        if max(steps):
            print(f"  {key}: T from {min(steps):,} to {max(steps):,}")
    print(f"  {'calibration (no data), apart':40}{calibrating:9.2f} s")
    rounds = [one_round(name, study, split) for _ in range(repeats)]
    for what in rounds[0]:
        seconds = statistics.median(times[what] for times in rounds)
        ratio = ""
        if not what.startswith("ours"):
            ours = "ours, " + what.partition(", ")[2]
            ours = "ours, training" if ours not in rounds[0] else ours
            ratio = f"{statistics.median(times[what] / times[ours] for times in rounds):8.2f} x "
            ratio += ours
        print(f"  {what:40}{seconds:9.2f} s{ratio}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Sweeps against plain loops.")
    parser.add_argument("--grid", choices=tuple(GRIDS), default="paper")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--groups", type=int, nargs="*", default=[0, 1])
    options = parser.parse_args()
    dataset, split = records()
    epsilons, delta = GRIDS[options.grid]
    load_average = os.getloadavg()[0] if hasattr(os, "getloadavg") else math.nan
    print(
        f"{os.cpu_count()} cores, load {load_average:.2f}; {dataset}: n = {split.records:,}, "
        f"d = {split.dimension}; {len(epsilons)} ε from {epsilons[0]:g} to {epsilons[-1]:g} at "
        f"δ = {delta:g}, {RUNS} runs, λ = {LAM:g}; median of {options.repeats} rounds"
    )
    for number, (name, methods) in enumerate(GROUPS.items()):
        if number in options.groups:
            study = Study(
                dataset=dataset,
                lam=LAM,
                methods=methods,
                edition="published" if options.grid == "paper" or name == STOCHASTIC else "sound",
                epsilons=epsilons,
                delta=delta,
                runs=RUNS,
                steps=split.records if name == STOCHASTIC else None,
            )
            compare(name, study, split, options.repeats)


if __name__ == "__main__":
    main()
