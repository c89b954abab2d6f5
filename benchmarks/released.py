"""Released models side by side: logistic regression by lines and by curves, and a small network.

Each is trained by the release's own code and rule, with the release's own noise, on the training
part of a split, and judged on its test part. `interactions` are made-up records of eight numbers,
even over [-1, 1], whose log odds are 6ab + 2c: no sum of curves of single columns can tell them.
"""

from __future__ import annotations

import argparse

import numpy as np

from dpcore.datasets import Preparation, load, prepare
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.release.grid import Array
from dpcore.release.mechanism import descend
from dpcore.release.plan import training
from dpcore.release.scorer import HIDDEN, Linear, Network

EPSILONS, DELTA = (0.5, 1.0, 3.0), 1e-6
INTERACTIONS, JUDGED = "interactions", 10_000
Part = tuple[Array, Array]
"""Rows of norm at most 1, shape (d, n), and their labels."""


def parts(key: str, features: str, seed: int, records: int) -> tuple[Part, Part, int]:
    """Training part, test part, and the number of features that rules count."""
    if key == INTERACTIONS:
        return _interactions(records, seed)
    preparation = Preparation(intercept=True, features=features, seed=seed)  # type: ignore[arg-type]
    split = prepare(load(key), preparation)
    x, y = split.known
    learned = np.ascontiguousarray(x.T), y
    return learned, (np.ascontiguousarray(split.x_test.T), split.y_test), split.counted


def _interactions(records: int, seed: int) -> tuple[Part, Part, int]:
    draw = np.random.default_rng(seed)
    x = draw.uniform(-1.0, 1.0, (8, records + JUDGED))
    odds = np.exp(6.0 * x[0] * x[1] + 2.0 * x[2])
    y = np.where(draw.random(len(odds)) < odds / (1.0 + odds), 1.0, -1.0)
    rows = np.vstack([x, np.ones(len(odds))])
    rows /= np.linalg.norm(rows, axis=0)
    learned, judged = slice(records), slice(records, None)
    return (rows[:, learned], y[learned]), (rows[:, judged], y[judged]), len(rows)


def accuracy_in_percent(
    key: str, kind: str, epsilon: float, seed: int, records: int, hidden: int
) -> float:
    """Accuracy in percent of one released model on the test part."""
    features = "additive" if kind == "curves" else "plain"
    (x, y), (x_others, y_others), counted = parts(key, features, seed, records)
    model = Network("logistic", len(x), hidden) if kind == "network" else Linear("logistic", len(x))
    budget = PrivacyBudget(epsilon, DELTA)
    mechanism, path = training(model, len(y), counted, budget, Adjacency.ZERO_OUT)
    weights = descend(x * y, mechanism, path)
    return 100.0 * float(np.mean((model.scores(x_others, weights) > 0.0) == (y_others > 0.0)))


def main() -> None:
    """Print one line a kind and ε: mean, lowest and highest."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--dataset", default="cohort", help=f"of the catalogue, or {INTERACTIONS}")
    options.add_argument("--records", type=int, default=10_000, help=f"of {INTERACTIONS}")
    options.add_argument(
        "--runs", type=int, default=5, help="each with a split and noise of its own"
    )
    options.add_argument("--hidden", type=int, default=HIDDEN)
    given = options.parse_args()
    kinds = (
        ("lines", "network") if given.dataset == INTERACTIONS else ("lines", "curves", "network")
    )
    for epsilon in EPSILONS:
        for kind in kinds:
            accuracies = [
                accuracy_in_percent(given.dataset, kind, epsilon, seed, given.records, given.hidden)
                for seed in range(given.runs)
            ]
            spread = f"{min(accuracies):.1f} to {max(accuracies):.1f}"
            print(f"ε = {epsilon:g}  {kind:8} {np.mean(accuracies):.1f} ({spread})", flush=True)


if __name__ == "__main__":
    main()
