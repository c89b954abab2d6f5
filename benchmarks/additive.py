"""Additive models beside straight lines: accuracy and AUC on the same splits, at every ε.

Both maps are learned by the same method with the same noise rule, δ and splits. A difference is
paired: its standard error is over splits.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dpcore.datasets import Preparation, load, prepare
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Training
from dpcore.evaluation.scoring import scoring_for
from dpcore.evaluation.study import Study, calibrations_for, problem_for
from dpcore.methods import method_named

EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 8.0)
DELTA = 1e-5
MAPS = ("plain", "additive")
MEASURES = ("accuracy_test", "auc")
COMPLETE = Preparation(missing="drop")
# Of small sets one split says little.
SPLITS = {"adult": 20, "bank": 20, "cardio": 20, "heart": 200, "breast_cancer": 200, "cohort": 1}


def measured(dataset: str, method: str, splits: int, runs: int) -> Iterator[np.ndarray]:
    """Accuracy and AUC on one split after the other; arrays of shape (2 maps, ε, 2)."""
    table = load(dataset)
    for seed in range(splits):
        values = []
        for features in MAPS:
            preparation = replace(COMPLETE, features=features, seed=seed)
            split = prepare(table, preparation)
            study = Study(
                dataset, methods=(method,), epsilons=EPSILONS, delta=DELTA, preparation=preparation
            )
            problem = problem_for(study, split)
            (made,) = calibrations_for(study, problem, DELTA).values()
            training = Training(made[0].problem, split.x_train, split.y_train, made, runs, seed)
            models = one_vs_rest.release(method_named(method).release, training)
            scored = scoring_for(split).of_runs(
                problem, split, models.reshape(-1, models.shape[-1])
            )
            by = [np.reshape(scored[name], (len(made), runs)).mean(1) for name in MEASURES]
            values.append(np.stack(by, axis=1))
        yield np.array(values)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", choices=SPLITS, action="append")
    options.add_argument("--method", default="dpgd")
    options.add_argument("--splits", type=int, help="instead of 20, or 200 of small sets")
    options.add_argument("--runs", type=int, default=5)
    chosen = options.parse_args()
    for dataset in chosen.only or SPLITS:
        splits = chosen.splits or SPLITS[dataset]
        values = np.array(list(measured(dataset, chosen.method, splits, chosen.runs)))
        means, gains = values.mean(0), values[:, 1] - values[:, 0]
        errors = gains.std(0, ddof=1) / splits**0.5 if splits > 1 else np.zeros(gains.shape[1:])
        print(
            f"\n{dataset}: {splits} splits, {chosen.runs} runs each, {chosen.method}, δ = {DELTA:g}"
        )
        print("ε      straight lines   additive        difference ± 2 standard errors")
        for place, epsilon in enumerate(EPSILONS):
            maps = [" / ".join(f"{value:.4f}" for value in row) for row in means[:, place]]
            differences = [
                f"{gain:+.4f} ± {2 * error:.4f}"
                for gain, error in zip(gains.mean(0)[place], errors[place], strict=True)
            ]
            print(f"{epsilon:<6g} " + "  ".join([*maps, *differences]))


if __name__ == "__main__":
    main()
