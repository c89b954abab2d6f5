"""Errors of a summary beside OpenDP's, on the same table at the same (ε, δ).

Run: python -m benchmarks.describe --opendp-python PYTHON [--runs 50]. PYTHON needs numpy and
opendp 0.16 and nothing of this repository (`benchmarks/opendp_process.py`); without it the table
says that it was not run. Four columns of numbers and four of words of the synthetic cohort, one
record replaced, as OpenDP has no zero-out; both divide the budget by the same weights. Errors are
root mean squares over runs: of counts as a share of n, of means and quartiles as a share of half of
the bounds' width. Beside them stands zero-out, which is usual here.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Table, load
from dpcore.guarantee import PrivacyBudget
from dpcore.questions.describe.question import DescribeQuestion
from dpcore.questions.question import ask
from dpcore.summaries.counts import exact, measured_of, noisy, places, seeded, values_of
from dpcore.summaries.estimates import QUANTILES, estimates
from dpcore.summaries.mechanism import NumberColumn, WordColumn, mechanism_for
from dpcore.summaries.study import TableStudy

Array = NDArray[np.float64]
NUMBERS = ("age", "systolic_pressure", "bmi", "egfr")
WORDS = ("sex", "smoker", "lives_alone", "admitted")
DELTA = 1e-6
SIZES, EPSILONS = (3_000, 50_000), (0.3, 1.0, 3.0)
GOALS = {"counts": 0.95, "means": 0.95, "quantiles": 0.75}


def errors_here(table: Table, epsilon: float, adjacency: str, runs: int) -> dict[str, float]:
    """Root mean square errors of what is here."""
    measured = measured_of(table.entry, (*NUMBERS, *WORDS), records=table.records)
    mechanism = mechanism_for(PrivacyBudget(epsilon, DELTA), measured, adjacency)
    sums, n = exact(table, measured), table.records
    squares: dict[str, list[float]] = {name: [] for name in GOALS}
    truth = true_values(table)
    for seed in range(runs):
        released = noisy(sums, mechanism, seeded(seed))
        found = {
            (one.column, one.statistic): one.value for one in estimates(released, mechanism, n)
        }
        for column in measured.columns:
            if isinstance(column, WordColumn):
                off = released.columns[column.name].levels[0] - truth[column.name]
                squares["counts"] += list((off / n) ** 2)
                continue
            half = column.half_width
            squares["means"].append(
                ((found[column.name, "mean"] - truth[column.name][0]) / half) ** 2
            )
            asked = np.array([found[column.name, name] for name in QUANTILES])
            squares["quantiles"] += list(((asked - truth[column.name][1:]) / half) ** 2)
    return {name: float(np.mean(each)) ** 0.5 for name, each in squares.items()}


def true_values(table: Table) -> dict[str, Array]:
    """Counts by level of words; mean and quartiles of numbers."""
    found = {}
    for name in WORDS:
        place = places(table, name)
        found[name] = np.bincount(place[place >= 0]).astype(float)
    for name in NUMBERS:
        values = values_of(table, name)
        found[name] = np.array([values.mean(), *np.quantile(values, list(QUANTILES.values()))])
    return found


def errors_there(table: Table, epsilon: float, runs: int, python: str) -> dict[str, float]:
    """Those of OpenDP."""
    measured = measured_of(table.entry, (*NUMBERS, *WORDS), records=table.records)
    numbers = [column for column in measured.columns if isinstance(column, NumberColumn)]
    words = [column for column in measured.columns if isinstance(column, WordColumn)]
    bounds = np.array([(column.lower, column.upper) for column in numbers])
    clipped = [np.clip(values_of(table, one.name), one.lower, one.upper) for one in numbers]
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "table.npz", Path(folder) / "answers.npz"
        np.savez(
            source,
            numbers=np.column_stack(clipped),
            words=np.column_stack([places(table, column.name) for column in words]),
            levels=[len(column.levels) for column in words],
            bounds=bounds,
            orders=list(QUANTILES.values()),
            layers=numbers[0].layers,
            cells=numbers[0].cells,
            epsilon=epsilon,
            delta=DELTA,
            runs=runs,
        )
        process = Path(__file__).with_name("opendp_process.py")
        subprocess.run([python, str(process), str(source), str(target)], check=True, stdout=-3)
        with np.load(target) as answers:
            told = dict(answers)
    truth, half = true_values(table), (bounds[:, 1] - bounds[:, 0]) / 2.0
    counts = np.concatenate([truth[column.name] for column in words])
    means = np.array([truth[column.name][0] for column in numbers])
    quartiles = np.array([truth[column.name][1:] for column in numbers])
    return {
        "counts": _root((told["counts"] - counts) / table.records),
        "means": _root((told["means"] - means[:, None]) / half[:, None]),
        "quantiles": _root((told["quantiles"] - quartiles[..., None]) / half[:, None, None]),
    }


def _root(off: Array) -> float:
    return float(np.sqrt(np.mean(off**2)))


def seconds() -> tuple[float, float]:
    """The least of three times on a million records: a summary at one ε, and pandas' numbers."""
    import pandas as pd

    table = load("cohort", records=1_000_000)
    names = ("age", "bmi", "sex", "smoker", "lives_alone")
    study = TableStudy(records=table.records, epsilons=(1.0,))
    question = DescribeQuestion(study, by="admitted", only=names)
    numbers, outcome = table.frame[["age", "bmi"]], pd.Series(table.label)

    def by_pandas() -> None:
        groups = table.frame.groupby(outcome, observed=True)
        for frame in (numbers, groups[["age", "bmi"]]):
            frame.agg(["mean", "std"])
            frame.quantile(list(QUANTILES.values()))
        for name in names[2:]:
            groups[name].value_counts()
            table.frame[name].value_counts()

    return timed(lambda: ask(question, records=table)), timed(by_pandas)


def timed(work: Callable[[], object]) -> float:
    """The least seconds of three times."""
    found = []
    for _ in range(3):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return min(found)


def main() -> None:
    """Print errors, ratios and their geometric means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--opendp-python", default="")
    parser.add_argument("--runs", type=int, default=50)
    options = parser.parse_args()
    ratios: dict[str, list[float]] = {name: [] for name in GOALS}
    print("n, ε, statistic: zero-out here, replaced here, OpenDP, ratio")
    for size in SIZES:
        table = load("cohort", records=size)
        for epsilon in EPSILONS:
            blank, here = (
                errors_here(table, epsilon, adjacency, options.runs)
                for adjacency in ("zero-out", "replace-one")
            )
            there: Mapping[str, float] = {}
            if options.opendp_python:
                there = errors_there(table, epsilon, options.runs, options.opendp_python)
            for name in GOALS:
                line = f"{size}, {epsilon:g}, {name}: {blank[name]:.5f}, {here[name]:.5f}"
                if there:
                    ratios[name].append(here[name] / there[name])
                    line += f", {there[name]:.5f}, {ratios[name][-1]:.2f}"
                print(line if there else f"{line}, not run")
    for name, each in ratios.items():
        if each:
            mean = float(np.exp(np.mean(np.log(each))))
            print(
                f"{name}: geometric mean {mean:.2f} (goal {GOALS[name]}), largest {max(each):.2f}"
            )
    here, pandas = seconds()
    print(f"50 numbers of a million records: {here / pandas:.2f} of pandas' seconds (goal 3)")


if __name__ == "__main__":
    main()
