"""Private models of other packages beside ours: same splits, δ, adjacency and public bounds.

Compared are tables that differ in one blanked record, n being public. DP-EBM (interpret) and naive
Bayes and the forest of diffprivlib are proved for one record more or less, and read n as it is:
with n public that is the same question. diffprivlib's logistic regression is proved for a record
replaced; by the same proof half of that ε is enough for a blanked one, so that it is called with
2ε. All of diffprivlib has δ = 0, as have our tree and pure objective perturbation.

Settings are each package's own, and ours follow the rules in public values. A package runs in an
interpreter of its own (`benchmarks/peer_process.py`), as its requirements need not go with ours.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Preparation, Table
from dpcore.erm.methods import BEST, best_method
from dpcore.erm.problem import ACCURATE_HUBER_WIDTH, ACCURATE_LAM, ACCURATE_LOSS
from dpcore.evaluation import baselines
from dpcore.evaluation.baselines import without_privacy
from dpcore.evaluation.scoring.classes import CLASSIFICATION
from dpcore.evaluation.splits import RepeatedSplits
from dpcore.evaluation.study import Study
from dpcore.evaluation.sweep import sweep
from dpcore.models.records import Records, split_records

Array = NDArray[np.float64]
Measured = dict[str, Array]
"""By name of a model (splits, ε, 2): accuracy and area under the curve, means over runs."""

SPLITS = {"adult": 5, "cardio": 5, "bank": 5, "heart": 20, "breast_cancer": 20}
"""By data set; of small ones a few splits say little."""
EPSILONS = (0.1, 1.0, 8.0)
MEASURES = ("accuracy_test", "auc")
SCRIPT = Path(__file__).with_name("peer_process.py")
PACKAGES = {"interpret-core": "interpret-python", "diffprivlib": "diffprivlib-python"}
"""The option that names each package's interpreter."""
OURS = "curves by rule"
"""The row that peers are subtracted from."""


def shown(rows: Array, digits: int = 4, sign: str = "") -> str:
    """The mean over splits, and its standard error."""
    error = np.std(rows, ddof=1) / np.sqrt(len(rows)) if len(rows) > 1 else np.nan
    return f"{np.mean(rows):{sign}.{digits}f}±{error:.{digits}f}"


def preparations(splits: int, features: str = "plain") -> tuple[Preparation, ...]:
    """Random 80/20 splits of complete records."""
    return tuple(Preparation("drop", seed=seed, features=features) for seed in range(splits))


def accurate_study(study: Study) -> Study:
    """The study with the loss and λ that cost least accuracy."""
    return replace(
        study,
        loss=ACCURATE_LOSS,
        huber_width=ACCURATE_HUBER_WIDTH,
        lam=ACCURATE_LAM,
    )


def ours(table: Table, splits: int, runs: int, delta: float) -> Measured:
    """The best method by rule on straight lines and on curves, and our counterparts of peers."""
    measures = {}
    logistic = Study(table.entry.key, epsilons=EPSILONS, delta=delta, runs=runs * splits)
    for name, features, method, study in (
        ("straight lines", "plain", BEST, logistic),
        (OURS, "rule", BEST, logistic),
        ("the same, Huber loss", "rule", BEST, accurate_study(logistic)),
        ("objective perturbation, δ = 0", "plain", "objpert_pure", logistic),
        ("decision tree, δ = 0", "plain", "decision-tree", logistic),
        ("naive Bayes", "plain", "naive-bayes", logistic),
    ):
        split = RepeatedSplits(table, preparations(splits, features))
        study = replace(study, methods=(method,), preparation=split.preparations[0])
        rows = sweep(study, split=split)
        assert set(rows["status"]) == {"proved"}
        if method == BEST:
            chosen = {epsilon: best_method(study.loss, epsilon) for epsilon in EPSILONS}
            rows = rows[rows["method"] == rows["epsilon"].map(chosen)]
        means = rows.groupby(["split", "epsilon"])[list(MEASURES)].mean()
        measures[name] = means.to_numpy().reshape(splits, len(EPSILONS), len(MEASURES))
    return measures


def without_noise(table: Table, splits: int) -> Measured:
    """A linear model and boosted trees without privacy; the same at every ε."""
    split = RepeatedSplits(table, preparations(splits))
    linear, trees = [], []
    for one, weights in zip(split, without_privacy(split).linear, strict=True):
        columns = baselines.columns_for_trees(table, one)
        pairs = (one, weights), baselines.scored_by_trees(columns, one)
        for measures, (scored, model) in zip((linear, trees), pairs, strict=True):
            scores = (model @ scored.x_test.T)[None]
            measures.append(_measured(scores, scored.y_test > 0)[0])
    return {
        name: np.repeat(np.array(rows)[:, None], len(EPSILONS), axis=1)
        for name, rows in (("linear model", linear), ("boosted trees", trees))
    }


def peers(
    table: Table, package: str, python: str, splits: int, runs: int, delta: float
) -> Measured:
    """The models of another package, by an interpreter that has it."""
    measures: dict[str, list[Array]] = {}
    for place, preparation in enumerate(preparations(splits)):
        train, test = split_records(table, preparation)
        (split,) = RepeatedSplits(table, (preparation,))
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder, "split.npz"), Path(folder, "scores.npz")
            np.savez(
                source,
                epsilons=EPSILONS,
                delta=delta,
                runs=runs,
                seed=1_000 * place,
                labels=train.labels,
                rows_train=split.x_train,
                rows_test=split.x_test,
                **_encoded(train, test),
            )
            command = [python, str(SCRIPT), package, str(source), str(target)]
            package_version = subprocess.run(
                command, check=True, stdout=subprocess.PIPE, text=True
            ).stdout
            with np.load(target, allow_pickle=False) as file:
                for name, scores in file.items():
                    flat = scores.reshape(-1, scores.shape[-1])
                    values = _measured(flat, test.labels == 1)
                    means = values.reshape(len(EPSILONS), runs, len(MEASURES)).mean(axis=1)
                    measures.setdefault(f"{name} ({package} {package_version.strip()})", []).append(
                        means
                    )
    return {name: np.array(rows) for name, rows in measures.items()}


def _encoded(train: Records, test: Records) -> Mapping[str, NDArray[np.generic]]:
    """The columns and their bounds: numbers in [-1, 1], then categories, levels from 0 on."""
    shape = train.shape
    ends = [(-1.0, 1.0)] * shape.numbers + [(-0.5, count - 0.5) for count in shape.levels]
    return {
        "numbers": np.array(shape.numbers),
        "bounds": np.array(ends),
        "train": np.hstack([train.numbers, train.categories]),
        "test": np.hstack([test.numbers, test.categories]),
    }


def _measured(scores: Array, positive: NDArray[np.bool_]) -> Array:
    columns = CLASSIFICATION.of_scores(scores, positive)
    return np.stack([columns[name] for name in MEASURES], axis=1)


def report(own: Measured, others: Measured, without: Measured) -> str:
    """A row each model, accuracy and area; below a peer's what it has more than ours."""
    lines = [f"{'':56}" + "".join(f"{f'ε = {epsilon:g}':32}" for epsilon in EPSILONS)]

    def add(name: str, rows: Array, sign: str = "") -> None:
        cells = [
            " / ".join(shown(one, sign=sign) for one in at_epsilon.T)
            for at_epsilon in rows.swapaxes(0, 1)
        ]
        lines.append(f"{name:56}" + "".join(f"{cell:32}" for cell in cells))

    for name, rows in own.items():
        add(name, rows)
    for name, rows in others.items():
        add(name, rows)
        add(f"  less {OURS}", rows - own[OURS], "+")
    for name, rows in without.items():
        add(f"{name}, without privacy", rows)
    return "\n".join(line.rstrip() for line in lines)


def compare(
    table: Table, pythons: Mapping[str, str | None], splits: int, runs: int, delta: float
) -> str:
    """Everything on one data set.

    Parameters
    ----------
    table : Table
    pythons : mapping of str to str or None
        By package the interpreter that has it.
    splits, runs : int
    delta : float
    """
    others: Measured = {}
    missing = []
    for package, python in pythons.items():
        if python:
            others |= peers(table, package, python, splits, runs, delta)
        else:
            missing.append(f"{package}: not run, as no --{PACKAGES[package]} names an interpreter")
    comparison = report(ours(table, splits, runs, delta), others, without_noise(table, splits))
    return "\n".join([comparison, *missing])
