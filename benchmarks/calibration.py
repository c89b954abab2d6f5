"""How wrong risks are under privacy, and what correcting them within the same ε brings and costs.

DP-GD with the logistic loss is trained on all of (ε, δ), as it is; and on what `training_budget`
leaves, with its risks as they are, corrected by noisy counts, and by counts without noise. All are
judged on test records: what the last still has wrong is what using the training records twice
costs, and the shape of the curve. The error is the debiased expected calibration error; ± is a
standard error over runs, or over splits where there are several.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.datasets import Preparation, Split, Table, load, prepare
from dpcore.erm import recalibration
from dpcore.erm.method import Training
from dpcore.erm.methods import method_named
from dpcore.evaluation.clinic.calibration import risk_calibration
from dpcore.evaluation.clinic.decision_curve import decisions
from dpcore.evaluation.scoring.metrics import auc
from dpcore.evaluation.study import Study, calibrations_for, problem_for
from dpcore.guarantee import PrivacyBudget

Array = NDArray[np.float64]

METHOD, DELTA = "dpgd", 1e-5
EPSILONS = (1.0, 3.0)
SPLITS = {"cardio": 4, "cohort": 1, "heart": 100}
MISS, FALSE_ALARM = 10.0, 1.0
"""Costs of a missed case and of a false alarm; treatment begins at their threshold, 1/11."""
COLUMNS = ("error", "slope", "intercept", "log loss", "accuracy", "area", "cost of 1,000")
ALL, CORRECTED = "as trained, all of ε", "corrected"
GOAL, FACTOR = 0.03, 3.0
"""An error above the goal is to be divided by the factor, on the larger sets."""
GOALS = ("cardio", "cohort")


def measures(log_odds: Array, positive: NDArray[np.bool_]) -> Array:
    """`COLUMNS` of models (k, m), as (k, columns)."""
    judged = risk_calibration(log_odds, positive)
    risks = special.expit(log_odds)
    signed = np.where(positive, log_odds, -log_odds)
    threshold = FALSE_ALARM / (FALSE_ALARM + MISS)
    cost = decisions(risks, positive, [threshold]).cost_per_1000(MISS, FALSE_ALARM)[:, 0]
    columns = (
        judged.debiased_error,
        judged.slope,
        judged.intercept,
        np.logaddexp(0.0, -signed).mean(axis=1),
        ((log_odds > 0.0) == positive).mean(axis=1),
        auc(log_odds, positive),
        cost,
    )
    return np.stack(columns, axis=1)


def trained(split: Split, seed: int, runs: int, epsilon: float) -> tuple[Training, Array]:
    """A training at one ε, and its models (1, runs, d)."""
    study = Study(split.entry.key, methods=(METHOD,), epsilons=(epsilon,), delta=DELTA)
    (calibrations,) = calibrations_for(study, problem_for(study, split), DELTA).values()
    training = Training(
        calibrations[0].problem, split.x_train, split.y_train, calibrations, runs, seed
    )
    return training, method_named(METHOD).release(training)


def measured(split: Split, seed: int, runs: int, epsilon: float) -> dict[str, Array]:
    """Measures of every way, (runs, columns) each."""
    total = PrivacyBudget(epsilon, DELTA)
    positive = split.y_test > 0
    training, models = trained(split, seed, runs, epsilon)
    result = {ALL: measures(models[0] @ split.x_test.T, positive)}
    share = recalibration.training_budget(total, split.records)
    training, models = trained(split, seed, runs, share.epsilon)
    plan = recalibration.recalibrate(training.calibrations[0], total)
    assert plan.proof.epsilon == epsilon
    scores = models @ split.x_test.T
    result["as trained, its share"] = measures(scores[0], positive)
    for name, rows, given in (
        (CORRECTED, training, plan),
        ("without noise", replace(training, noiseless=True), replace(plan, sigma=0.0)),
    ):
        corrected = recalibration.release(rows, [given], models).at(scores)
        result[name] = measures(corrected[0], positive)
    return result


def report(table: Table, name: str, splits: int, runs: int) -> None:
    """One block for each ε."""
    preparations = [Preparation(missing="drop", seed=seed) for seed in range(splits)]
    for epsilon in EPSILONS:
        by: dict[str, list[Array]] = {}
        for seed, preparation in enumerate(preparations):
            for way, rows in measured(prepare(table, preparation), seed, runs, epsilon).items():
                by.setdefault(way, []).append(rows)
        print(f"\n{name}, ε = {epsilon:g}, δ = {DELTA:g}: {splits} splits × {runs} runs")
        print(f"{'':22}" + "".join(f"{column:>18}" for column in COLUMNS))
        for way, blocks in by.items():
            values = np.array(blocks)
            groups = np.nanmean(values, axis=1) if splits > 1 else values[0]
            error = np.nanstd(groups, axis=0, ddof=1) / np.sqrt(len(groups))
            cells = [f"{m:.4f}±{e:.4f}" for m, e in zip(np.nanmean(groups, 0), error, strict=True)]
            print(f"{way:22}" + "".join(f"{cell:>18}" for cell in cells))
        before, after = (np.nanmean(np.array(by[way])[:, :, 0]) for way in (ALL, CORRECTED))
        if name in GOALS and before > GOAL:
            met = "met" if after <= before / FACTOR else "MISSED"
            print(f"error {before:.4f} to be divided by {FACTOR:g}: by {before / after:.1f}, {met}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", choices=SPLITS, action="append")
    options.add_argument("--splits", type=int, help="instead of 4, 1 and 100")
    options.add_argument("--runs", type=int, default=10)
    chosen = options.parse_args()
    for name in chosen.only or SPLITS:
        report(load(name), name, chosen.splits or SPLITS[name], chosen.runs)


if __name__ == "__main__":
    main()
