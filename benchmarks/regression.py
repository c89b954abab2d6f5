"""Error against ε on Diabetes: every sound method that predicts a number, and no privacy.

Every setting is fixed in advance by n, d, ε and δ alone. What is printed is the mean over splits of
the RMSE over runs, in the unit of the outcome; ± is its standard error over splits.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from benchmarks.peers import shown
from dpcore.datasets import Preparation, load, prepare
from dpcore.erm.methods import register
from dpcore.evaluation.baselines import baselines
from dpcore.evaluation.study import Study
from dpcore.evaluation.sweep import sweep

EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
DELTA = 1e-5
ADJACENCIES = ("zero-out", "replace-one")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--runs", type=int, default=30, help="on each split")
    parser.add_argument("--lam", type=float, help="λ; default: by rule")
    options = parser.parse_args()
    keys = [key for key, method in register().items() if "squared" in method.losses]
    methods = tuple(key for key in keys if key != "nonprivate")
    table = load("diabetes")
    errors: dict[tuple[str, str], list[np.ndarray]] = {}
    guesses, without_privacy = [], []
    for seed in range(options.splits):
        split = prepare(table, Preparation(seed=seed))
        for adjacency in ADJACENCIES:
            study = Study(
                "diabetes",
                loss="squared",
                lam=options.lam,
                methods=methods,
                epsilons=EPSILONS,
                delta=DELTA,
                adjacency=adjacency,
                runs=options.runs,
                seed=seed,
            )
            means = sweep(study, split=split).groupby(["method", "epsilon"])["rmse_test"].mean()
            for method in methods:
                errors.setdefault((adjacency, method), []).append(means[method].to_numpy())
        compared = baselines(split)
        guesses.append(compared.guesses["rmse"])
        without_privacy.append(compared.linear["rmse"])
        if sys.stderr.isatty():
            print(f"\r{seed + 1} of {options.splits} splits", end="", file=sys.stderr)
    print(
        f"{table.entry.title}: {options.splits} splits × {options.runs} runs, δ = {DELTA:g}, λ "
        f"{'by rule' if options.lam is None else f'= {options.lam:g}'}"
    )
    print(f"{'':26}" + "".join(f"{f'ε = {epsilon:g}':>15}" for epsilon in EPSILONS))
    for (adjacency, method), by_split in errors.items():
        cells = "".join(f"{shown(column, 1):>15}" for column in np.array(by_split).T)
        print(f"{method + ', ' + adjacency:26}{cells}")
    print(
        f"without privacy, λ by cross-validation {shown(np.array(without_privacy), 1)}; "
        f"always the mean {shown(np.array(guesses), 1)}"
    )


if __name__ == "__main__":
    main()
