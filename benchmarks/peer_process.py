"""Private models of other packages on one split, in an interpreter of their own.

    PYTHON benchmarks/peer_process.py PACKAGE SPLIT.npz SCORES.npz

PYTHON needs numpy and the package, nothing of this repository; `benchmarks.peers` writes the split
and reads the scores, above 0 for the positive class. Every model is given public bounds, so that it
reads none off the records; other settings are the package's own unless a row names them. Where
columns are learned from, a category's levels are numbers from 0 on: on Bank and Cardio that served
diffprivlib's models better than a number for each level, among which ε would be divided.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version

import numpy as np

Data = Mapping[str, np.ndarray]
Fit = Callable[[Data, float, float, int], np.ndarray]


def ebm(
    data: Data,
    epsilon: float,
    delta: float,
    seed: int,
    *,
    categories: str = "continuous",
    rate: float = 0.01,
) -> np.ndarray:
    """DP-EBM; of a category that is told to be "nominal" it shows which levels occur.

    At its own rate it is far from trained after its 300 rounds: 0.03 was better at every ε on Bank
    and Cardio, and as good as 0.1 or more rounds.
    """
    from interpret.privacy import DPExplainableBoostingClassifier

    numbers, bounds = int(data["numbers"]), data["bounds"]
    model = DPExplainableBoostingClassifier(
        epsilon=epsilon,
        delta=delta,
        feature_types=["continuous"] * numbers + [categories] * (len(bounds) - numbers),
        privacy_bounds=bounds,
        learning_rate=rate,
        n_jobs=1,
        random_state=seed,
    )
    return model.fit(data["train"], data["labels"]).decision_function(data["test"])


def logistic_regression(
    data: Data, epsilon: float, delta: float, seed: int, *, strength: float = 1.0
) -> np.ndarray:
    """Objective perturbation (Chaudhuri et al. 2011), proved for a record replaced, with δ = 0.

    A blanked record changes the gradient by half as much, and the logarithm of the Jacobian by half
    as much: by the same proof, 2ε for replacing is ε for blanking.
    """
    from diffprivlib.models import LogisticRegression

    # No intercept, as ours: with one its bound of the curvature takes a norm that is not squared.
    model = LogisticRegression(
        epsilon=2.0 * epsilon, data_norm=1.0, C=strength, fit_intercept=False, random_state=seed
    )
    return model.fit(data["rows_train"], data["labels"]).decision_function(data["rows_test"])


def naive_bayes(data: Data, epsilon: float, delta: float, seed: int) -> np.ndarray:
    from diffprivlib.models import GaussianNB

    low, high = data["bounds"].T
    model = GaussianNB(epsilon=epsilon, bounds=(low, high), random_state=seed)
    logs = model.fit(data["train"], data["labels"]).predict_log_proba(data["test"])
    return logs[:, 1] - logs[:, 0]


def random_forest(data: Data, epsilon: float, delta: float, seed: int) -> np.ndarray:
    from diffprivlib.models import RandomForestClassifier

    low, high = data["bounds"].T
    model = RandomForestClassifier(
        epsilon=epsilon, bounds=(low, high), classes=[0, 1], n_jobs=1, random_state=seed
    )
    return model.fit(data["train"], data["labels"]).predict_proba(data["test"])[:, 1] - 0.5


MODELS: dict[str, dict[str, Fit]] = {
    "interpret-core": {
        "DP-EBM": ebm,
        "DP-EBM, rate 0.03": partial(ebm, rate=0.03),
        "DP-EBM, nominal levels": partial(ebm, categories="nominal"),
    },
    "diffprivlib": {
        "logistic regression": logistic_regression,
        "logistic regression, C = 0.01": partial(logistic_regression, strength=0.01),
        "naive Bayes": naive_bayes,
        "random forest": random_forest,
    },
}


def main() -> None:
    package, source, target = sys.argv[1:]
    warnings.simplefilter("ignore")  # of fixed seeds, which are what a comparison needs
    with np.load(source, allow_pickle=False) as file:
        data = dict(file)
    delta, runs, seed = float(data["delta"]), int(data["runs"]), int(data["seed"])
    scores = {}
    for name, fit in MODELS[package].items():
        scores[name] = np.array(
            [
                [fit(data, float(epsilon), delta, seed + run) for run in range(runs)]
                for epsilon in data["epsilons"]
            ]
        )
    np.savez(target, **scores)
    print(version(package))


if __name__ == "__main__":
    main()
