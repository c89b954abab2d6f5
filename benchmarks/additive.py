"""Straight lines, curves, and what the rule takes: accuracy and AUC on the same splits, at every ε.

All maps are learned by the same method with the same noise rule, δ and splits; the rule takes one
of them at each ε. A difference to straight lines is paired: its standard error is over splits.
With `--seconds`, the time of whole curves instead, method by method, as a ratio to straight lines.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dpcore.datasets import Preparation, Table, load, prepare
from dpcore.datasets.features import MAPS
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Training
from dpcore.erm.methods import method_named
from dpcore.evaluation.curves import all_curves
from dpcore.evaluation.scoring import scoring_for
from dpcore.evaluation.splits import by_map
from dpcore.evaluation.study import Study, calibrations_for, problem_for

EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 8.0)
DELTA = 1e-5
MEASURES = ("accuracy_test", "auc")
# 10 ε with 30 runs each, by every method that takes all records at each step.
GRID, GRID_RUNS = tuple(float(epsilon) for epsilon in np.geomspace(0.1, 10.0, 10)), 30
FULL_BATCH = ("outpert", "opera", "dpgd", "dpnewton", "objpert", "inputpert", "functional")
COMPLETE = Preparation(missing="drop")
# Of small sets one split says little.
SPLITS = {"adult": 20, "bank": 20, "cardio": 20, "heart": 200, "breast_cancer": 200, "cohort": 1}


def measured(
    table: Table, method: str, epsilons: tuple[float, ...], splits: int, runs: int
) -> Iterator[np.ndarray]:
    """Accuracy and AUC on one split after the other; arrays of shape (maps, ε, 2)."""
    dataset = table.entry.key
    for seed in range(splits):
        values = []
        for features in MAPS:
            preparation = replace(COMPLETE, features=features, seed=seed)
            split = prepare(table, preparation)
            study = Study(
                dataset, methods=(method,), epsilons=epsilons, delta=DELTA, preparation=preparation
            )
            problem = problem_for(study, split)
            (calibrations,) = calibrations_for(study, problem, DELTA).values()
            training = Training(
                calibrations[0].problem, split.x_train, split.y_train, calibrations, runs, seed
            )
            models = one_vs_rest.release(method_named(method).release, training)
            scored = scoring_for(split).of_runs(
                problem, split, models.reshape(-1, models.shape[-1])
            )
            by = [np.reshape(scored[name], (len(calibrations), runs)).mean(1) for name in MEASURES]
            values.append(np.stack(by, axis=1))
        yield np.array(values)


def maps_by_rule(table: Table, epsilons: tuple[float, ...]) -> list[str]:
    """The map that the rule chooses at each ε."""
    preparation = replace(COMPLETE, features="rule")
    split = prepare(table, preparation)
    study = Study(table.entry.key, epsilons=epsilons, delta=DELTA, preparation=preparation)
    chosen = {
        epsilon: rows[0].preparation.features
        for one, rows in by_map(study, split)
        for epsilon in one.epsilons
    }
    return [chosen[epsilon] for epsilon in epsilons]


def print_durations(table: Table, methods: tuple[str, ...]) -> None:
    """Print the duration of the curves of each map, and its ratio to straight lines."""
    splits = {features: prepare(table, replace(COMPLETE, features=features)) for features in MAPS}
    print(f"\n{table.entry.key}: {len(GRID)} ε, {GRID_RUNS} runs; seconds and ratio to plain")
    print("{:<12} {:>8}  {:>16}  {:>16}".format("method", *MAPS))
    total = np.zeros(len(MAPS))
    for method in methods:
        durations = []
        for split in splits.values():
            study = Study(
                table.entry.key,
                methods=(method,),
                epsilons=GRID,
                delta=DELTA,
                runs=GRID_RUNS,
                preparation=split.preparation,
            )
            start = time.perf_counter()
            all_curves(study, split)
            durations.append(time.perf_counter() - start)
        total += durations
        _print_ratios(method, durations)
    _print_ratios("all of them", total.tolist())


def _print_ratios(name: str, seconds: list[float]) -> None:
    plain, *others = seconds
    columns = [f"{value:7.2f} ({value / plain:4.2f} x)" for value in others]
    print(f"{name:<12} {plain:8.2f}  " + "  ".join(columns), flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", choices=SPLITS, action="append")
    options.add_argument("--method", help="DP-GD; with --seconds, every full-batch method")
    options.add_argument("--splits", type=int, help="instead of 20, or 200 of small sets")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--epsilon", type=float, action="append")
    options.add_argument("--seconds", action="store_true", help="time curves instead")
    chosen = options.parse_args()
    if chosen.seconds:
        for dataset in chosen.only or ("adult",):
            print_durations(load(dataset), (chosen.method,) if chosen.method else FULL_BATCH)
        return
    epsilons, method = tuple(chosen.epsilon or EPSILONS), chosen.method or "dpgd"
    for dataset in chosen.only or SPLITS:
        table = load(dataset)
        splits = chosen.splits or SPLITS[dataset]
        values = np.array(list(measured(table, method, epsilons, splits, chosen.runs)))
        means, gains = values.mean(0), values - values[:, :1]
        errors = gains.std(0, ddof=1) / splits**0.5 if splits > 1 else np.zeros(gains.shape[1:])
        print(
            f"\n{dataset}: {splits} splits, {chosen.runs} runs each, {method}, "
            f"δ = {DELTA:g}; beside plain, differences ± 2 standard errors"
        )
        print("{:<6} {:15}  {:37}  {:37}  by rule".format("ε", *MAPS))
        by_rule = maps_by_rule(table, epsilons)
        for place, epsilon in enumerate(epsilons):
            plain = " / ".join(f"{value:.4f}" for value in means[0, place])
            differences = [
                " / ".join(
                    f"{gain:+.4f} ± {2 * error:.4f}"
                    for gain, error in zip(
                        gains.mean(0)[one, place], errors[one, place], strict=True
                    )
                )
                for one in (1, 2)
            ]
            rule_scores = " / ".join(
                f"{value:.4f}" for value in means[MAPS.index(by_rule[place]), place]
            )
            columns = [plain, *differences, f"{rule_scores}  {by_rule[place]}"]
            print(f"{epsilon:<6g} " + "  ".join(columns), flush=True)


if __name__ == "__main__":
    main()
