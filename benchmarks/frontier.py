"""Accuracy against ε at the frontier: the best sound methods, their targets, and no privacy.

Every setting is fixed in advance by n, d, ε and δ alone: `dpcore.erm.problem` holds the loss and
λ, each method its rule, and neither Adult nor Heart had a say in them. Test accuracy is the mean
over splits of the mean over runs; ± is its standard error over splits. Zero-out stands beside
replace-one, for which there is no target. With `--peers`, models of other packages stand beside
ours instead (`benchmarks.peers`).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks import peers
from benchmarks.peers import accurate_study, shown
from dpcore.datasets import Preparation, Table, load, prepare
from dpcore.erm.method import Training
from dpcore.erm.methods import method_named
from dpcore.erm.newton import minimise
from dpcore.erm.problem import ACCURATE_HUBER_WIDTH, ACCURATE_LAM, ACCURATE_LOSS
from dpcore.evaluation.scoring import metrics
from dpcore.evaluation.study import Study, calibrations_for, problem_for

Array = NDArray[np.float64]

DELTA = 1e-5
METHODS = ("dpgd", "objpert", "inputpert")
ADJACENCIES = ("zero-out", "replace-one")
FLOOR_LAM = 1e-6
"""λ of the fit without privacy: next to none, and enough for its minimiser to exist."""


@dataclass(frozen=True)
class Goal:
    """The measurement on one data set.

    Parameters
    ----------
    dataset : str
    splits, runs : int
        Random 80/20 splits, and draws of the noise on each.
    targets : dict of float to float
        Least mean test accuracy by ε, zero-out, δ = 1e-5.
    """

    dataset: str
    splits: int
    runs: int
    targets: dict[float, float]


GOALS = {
    "adult": Goal("adult", 20, 30, {0.01: 0.775, 0.03: 0.808, 0.1: 0.828, 0.3: 0.837, 1.0: 0.841}),
    "heart": Goal("heart", 200, 30, {0.3: 0.72, 1.0: 0.80, 3.0: 0.825}),
}


@dataclass(frozen=True)
class Measured:
    """Mean test accuracies on each split.

    Parameters
    ----------
    private : dict of (adjacency, method) to (splits, ε) array
    floors : dict of loss to (splits,) array
        Without privacy.
    """

    private: dict[tuple[str, str], Array]
    floors: dict[str, Array]


def study_of(goal: Goal, adjacency: str, methods: Sequence[str]) -> Study:
    """The study without its split, as in `python -m dpcore sweep`."""
    return accurate_study(
        Study(
            dataset=goal.dataset,
            methods=tuple(methods),
            epsilons=tuple(goal.targets),
            delta=DELTA,
            adjacency=adjacency,
            runs=goal.runs,
        )
    )


def measure(goal: Goal, methods: Sequence[str], table: Table) -> Measured:
    """Train everything on every split."""
    private: dict[tuple[str, str], list[Array]] = {}
    floors: dict[str, list[float]] = {}
    for seed in range(goal.splits):
        split = prepare(table, Preparation(missing="drop", seed=seed))
        train, test = (split.x_train, split.y_train), (split.x_test, split.y_test)
        for adjacency in ADJACENCIES:
            study = study_of(goal, adjacency, methods)
            problem = problem_for(study, split)
            for method, calibrations in calibrations_for(study, problem, DELTA).items():
                assert all(c.proof.epsilon is not None for c in calibrations)
                training = Training(problem, *train, calibrations, goal.runs, seed)
                weights = method_named(method).release(training)
                accuracies = metrics.rates(weights.reshape(-1, problem.dimension), *test).accuracy
                means = accuracies.reshape(len(calibrations), goal.runs).mean(axis=1)
                private.setdefault((adjacency, method), []).append(means)
        for loss in dict.fromkeys(("logistic", ACCURATE_LOSS)):
            floor_problem = replace(problem, loss=loss, lam=FLOOR_LAM)
            floor = metrics.rates(minimise(floor_problem, *train)[None], *test).accuracy[0]
            floors.setdefault(loss, []).append(float(floor))
        if sys.stderr.isatty():
            print(f"\r{goal.dataset}: {seed + 1} of {goal.splits} splits", end="", file=sys.stderr)
    return Measured(
        {key: np.array(rows) for key, rows in private.items()},
        {loss: np.array(rows) for loss, rows in floors.items()},
    )


def report(goal: Goal, measured: Measured) -> str:
    """One row for each method and adjacency, then the targets and whether they are met."""
    width = 15
    lines = [
        f"{'':24}" + "".join(f"{'ε = ' + format(e, 'g'):>{width}}" for e in goal.targets),
    ]
    for (adjacency, method), rows in measured.private.items():
        cells = "".join(f"{shown(column):>{width}}" for column in rows.T)
        lines.append(f"{method + ', ' + adjacency:24}{cells}")
    best = np.max(
        [rows.mean(axis=0) for (adj, _), rows in measured.private.items() if adj == "zero-out"],
        axis=0,
    )
    targets = np.array(list(goal.targets.values()))
    lines.append(f"{'best, zero-out':24}" + "".join(f"{value:>{width}.4f}" for value in best))
    lines.append(f"{'target':24}" + "".join(f"{value:>{width}.4f}" for value in targets))
    verdicts = ["met" if met else "MISSED" for met in best >= targets]
    lines.append(f"{'':24}" + "".join(f"{word:>{width}}" for word in verdicts))
    floors = ", ".join(f"{loss} {shown(rows)}" for loss, rows in measured.floors.items())
    lines.append(f"without privacy: {floors}")
    return "\n".join(lines)


def against_peers(options: argparse.Namespace) -> None:
    """Measure and print, one data set after the other."""
    pythons = {
        package: getattr(options, name.replace("-", "_"))
        for package, name in peers.PACKAGES.items()
    }
    runs = options.runs or 3
    for name in options.only or peers.SPLITS:
        table, splits = load(name), options.splits or peers.SPLITS[name]
        print(f"{table.entry.title}: {splits} splits × {runs} runs, δ = {DELTA:g}, zero-out")
        print(peers.compare(table, pythons, splits, runs, DELTA), end="\n\n", flush=True)


def main() -> None:
    """Measure and print, one data set after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    every = dict.fromkeys([*GOALS, *peers.SPLITS])
    parser.add_argument("--only", action="append", metavar="DATA", choices=list(every))
    parser.add_argument("--splits", type=int, help="in place of 20 (Adult), 200 (Heart)")
    parser.add_argument("--runs", type=int, help="in place of 30 on each split")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--peers", action="store_true", help="5 or 20 splits × 3 runs of each")
    for package, name in peers.PACKAGES.items():
        parser.add_argument(f"--{name}", metavar="PATH", help=f"an interpreter that has {package}")
    options = parser.parse_args()
    if options.peers:
        against_peers(options)
        return
    methods = options.methods.split(",")
    for name in options.only or GOALS:
        if name not in GOALS:
            parser.error(f"only is {name}, but without --peers it must be {' or '.join(GOALS)}")
        goal = GOALS[name]
        goal = replace(goal, splits=options.splits or goal.splits, runs=options.runs or goal.runs)
        started = time.process_time()
        table = load(name)
        measured = measure(goal, methods, table)
        print(
            f"{table.entry.title}: {goal.splits} splits × {goal.runs} runs, δ = {DELTA:g}, "
            f"{ACCURATE_LOSS} loss (h = {ACCURATE_HUBER_WIDTH:g}), λ = {ACCURATE_LAM:g}; "
            f"{time.process_time() - started:.0f} s of processor time"
        )
        print(report(goal, measured), flush=True)


if __name__ == "__main__":
    main()
