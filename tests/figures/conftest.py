"""A table with known numbers, in the columns the evaluation gives."""

import math

import pandas as pd
import pytest

EPSILONS = (1e-9, 1e-6, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0)
TITLES = {"opera": "OPERA", "outpert": "OutPert", "dpgd": "DP-GD"}


def row(method, epsilon, sigma, accuracy, **other):
    return {
        "method": method,
        "edition": "sound",
        "epsilon": epsilon,
        "delta": 1e-5,
        "adjacency": "replace-one",
        "accountant": "analytic Gaussian",
        "status": "proved",
        "sensitivity": 0.05,
        "sigma": sigma,
        "steps": 10,
        "accuracy": accuracy,
        "accuracy_low": accuracy - 0.04,
        "accuracy_high": accuracy + 0.01,
        "balanced_accuracy": accuracy - 0.01,
        "objective": 0.2 + sigma,
        "objective_low": 0.2 + 0.5 * sigma,
        "objective_high": 0.2 + 2.0 * sigma,
        "excess_risk": sigma,
        "excess_risk_bound_published": 10.0 * sigma,
        "excess_risk_bound_sound": 4.0 * sigma,
        "missed_per_1000": 1000.0 * (1.0 - accuracy) / 2.0,
        "false_per_1000": 1000.0 * (1.0 - accuracy) / 2.0,
        "runs": 30,
        "splits": 1,
        "source": "closed form",
    } | other


def series(epsilon=math.nan, **other):
    """What rows say of one model; of a private one where it has an ε."""
    private = not math.isnan(epsilon)
    return {
        "method": "opera" if private else "reference",
        "title": "OPERA" if private else "without privacy",
        "baseline": "" if private else "linear model",
        "epsilon": epsilon,
        "delta": 1e-5,
        "adjacency": "zero-out",
        "accountant": "analytic Gaussian",
        "status": "proved" if private else "not private",
        "runs": 30,
        "splits": 1,
    } | other


@pytest.fixture
def titles():
    return dict(TITLES)


@pytest.fixture
def table():
    """OPERA's σ stops at 4; OutPert's grows as 1/ε; DP-GD has no bound and little noise."""
    rows = []
    for epsilon in EPSILONS:
        accuracy = 0.5 + 0.45 / (1.0 + 1.0 / epsilon)
        rows.append(row("opera", epsilon, min(4.0, 0.4 / epsilon), accuracy))
        rows.append(row("outpert", epsilon, 0.5 / epsilon, min(accuracy, 0.8)))
        rows.append(
            row(
                "dpgd",
                epsilon,
                0.01,
                0.96,
                excess_risk_bound_published=math.nan,
                excess_risk_bound_sound=math.nan,
            )
        )
    return pd.DataFrame(rows)
