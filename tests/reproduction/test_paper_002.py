"""Paper 002's figure 2 on small sets: files, and verdicts either way."""

import numpy as np
import pandas as pd
import pytest

from dpcore.datasets import load, prepare
from dpcore.reproduction import paper_002
from dpcore.reproduction.paper_002 import EPSILONS, METHODS, SIZES
from dpcore.reproduction.report import NOT_SUPPORTED, PARTLY, SUPPORTED, reproduce


def table(loss, value, *, spread=0.01, sets=("a", "b")):
    """A made-up result: `value` is a function of (method, ε, n)."""
    rows = [
        {
            "dataset": name,
            "loss": loss,
            "epsilon": epsilon,
            "records": size,
            "method": method,
            "mean": value(method, epsilon, size),
            "low": value(method, epsilon, size) - spread,
            "high": value(method, epsilon, size) + spread,
            "sign": 1.0 if loss == "logistic" else -1.0,
            "span": 1.0,
        }
        for name in sets
        for epsilon in EPSILONS
        for size in SIZES
        for method in METHODS
    ]
    return pd.DataFrame(rows)


COST = {"nonprivate": 0.0, "objpert": 20.0, "inputpert": 40.0, "outpert_pure": 60.0}


def as_the_paper_says(method, epsilon, size):
    """What privacy costs falls as 1/n, and input perturbation loses a little more."""
    return min(COST[method] / size, 0.4)


def linear(made):
    return [v.verdict for v in paper_002._judge_linear(paper_002._places(made))]


def logistic(made):
    return [v.verdict for v in paper_002._judge_logistic(paper_002._places(made))]


def test_results_like_the_papers_support_every_conclusion():
    made = table("logistic", lambda *at: 0.85 - as_the_paper_says(*at))
    assert logistic(made) == [SUPPORTED] * 4
    # Close at small n, where linear regression costs input perturbation no more.
    even = {**COST, "inputpert": 21.0}
    made = table("squared", lambda method, _, size: 0.2 + min(even[method] / size, 0.4))
    assert linear(made) == [SUPPORTED] * 3


def test_results_unlike_the_papers_support_none():
    def worse(method, epsilon, size):
        # Input perturbation stays behind however many records there are, but begins ahead.
        cost = {"inputpert": 0.2 + 1e-7 * size, "objpert": 0.3 + 1e-7 * size}
        return cost.get(method, 0.0)

    made = table("logistic", lambda *at: 0.85 - worse(*at))
    assert logistic(made) == [NOT_SUPPORTED] * 4
    assert linear(table("squared", lambda *at: 0.2 + worse(*at))) == [NOT_SUPPORTED] * 3


def test_nothing_within_the_spread_of_runs_is_a_difference():
    made = table("logistic", lambda *at: 0.85 - as_the_paper_says(*at), spread=0.5)
    assert logistic(made) == [NOT_SUPPORTED, NOT_SUPPORTED, SUPPORTED, NOT_SUPPORTED]


def test_one_set_of_two_is_half_the_places():
    like = table("logistic", lambda *at: 0.85 - as_the_paper_says(*at), sets=("a",))
    unlike = table("logistic", lambda *at: 0.85, sets=("b",))
    assert logistic(pd.concat([like, unlike])) == [PARTLY, PARTLY, SUPPORTED, PARTLY]


def test_a_messages_epsilon_grows_faster_than_the_root_of_n(monkeypatch):
    assert paper_002._judge_local(SIZES).verdict == NOT_SUPPORTED
    # Where it is small it is of that order, so the verdict follows the figures.
    monkeypatch.setattr(paper_002, "EPSILONS", (1e-3, 1e-2))
    monkeypatch.setattr(paper_002, "DELTA", 1e-12)
    assert paper_002._judge_local((100, 1_000)).verdict == SUPPORTED


def test_each_run_divides_the_same_records_anew():
    split = prepare(load("cohort", records=200))
    one, two, again = (paper_002.divided(split, run) for run in (0, 1, 0))
    assert np.array_equal(one.x_train, again.x_train)
    assert not np.array_equal(one.x_train, two.x_train)

    def all_of(each):
        rows = np.vstack([each.x_train, each.x_test])
        return rows[np.lexsort(rows.T)]

    assert np.array_equal(all_of(one), all_of(two))


@pytest.mark.slow("repeats an experiment of a paper")
def test_the_figure_leaves_tables_pictures_and_verdicts(tmp_path, monkeypatch):
    monkeypatch.setattr(paper_002, "PATIENTS", 1_500)
    monkeypatch.setattr(paper_002, "LAMS", (1e-3, 1e-2))
    result = reproduce(
        "paper-002", figure=2, output=str(tmp_path), datasets=("cohort", "diabetes"), runs=2
    )
    name = "paper-002-figure-2"
    drawn = [f"-{kind}{suffix}" for kind in ("accuracy", "rmse") for suffix in (".png", ".svg")]
    endings = [".csv", "-runs.csv", ".json", *drawn]
    assert {path.name for path in tmp_path.iterdir()} == {name + ending for ending in endings}
    assert len(result["verdicts"]) == 3 + 4 + 2 + 1
    rows = pd.read_csv(tmp_path / f"{name}-runs.csv")
    kinds = {"cohort logistic", "cohort squared", "diabetes squared"}
    assert set(rows["dataset"] + " " + rows["loss"]) == kinds
    private = rows[rows["method"] != "nonprivate"]
    assert set(private["status"]) == {"proved"}
    # Each method keeps one λ at each ε, and a run's noise is its own.
    assert (rows.groupby(["dataset", "loss", "method", "epsilon"])["lam"].nunique() == 1).all()
    again = private.groupby(["dataset", "loss", "records", "method", "epsilon"])["value"]
    assert (again.nunique() == 2).mean() > 0.9
