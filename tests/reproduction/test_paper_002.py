"""Paper 002's figure 2 on small sets: files, verdicts either way, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest

from dpcore.datasets import load, prepare
from dpcore.reproduction import paper_002
from dpcore.reproduction.paper_002 import EPSILONS, METHODS, SIZES
from dpcore.reproduction.report import (
    NOT_SUPPORTED,
    PARTLY,
    SUPPORTED,
    UNCHECKED,
    Conclusion,
    reproduce,
)


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


def test_output_perturbation_is_told_of_but_not_judged():
    made = pd.concat(
        [
            table("logistic", lambda *at: 0.85 - as_the_paper_says(*at)),
            table("squared", lambda *at: 0.2 + as_the_paper_says(*at)),
        ]
    )
    for verdict in paper_002._against_output(made):
        assert verdict.verdict == UNCHECKED
        assert (
            f"InputPert better in {4 * len(SIZES)}" in verdict.seen or "accuracy" in verdict.claim
        )
    by_accuracy, by_rmse = paper_002._against_output(made)
    assert "accuracy" in by_accuracy.claim
    # At n = 100 000 nothing is a tie, at the least n two of them are cut off at the same loss.
    assert f"of {4 * len(SIZES)} places" in by_rmse.seen


def test_a_messages_epsilon_grows_faster_than_the_root_of_n(monkeypatch):
    assert paper_002._judge_local(SIZES).verdict == NOT_SUPPORTED
    # Where it is small it is of that order, so the verdict follows the figures.
    monkeypatch.setattr(paper_002, "EPSILONS", (1e-3, 1e-2))
    monkeypatch.setattr(paper_002, "DELTA", 1e-12)
    assert paper_002._judge_local((100, 1_000)).verdict == SUPPORTED


def test_a_number_among_the_columns_becomes_the_outcome():
    before = load("cohort", records=200)
    after = paper_002.predicting(before, "egfr")
    assert after.entry.predicts == "number"
    assert "egfr" not in after.frame
    assert list(after.frame) == [column.name for column in after.entry.columns]
    split = prepare(after)
    assert np.abs(split.y_train).max() <= 1.0
    lower, upper = before.entry.column("egfr").bounds
    for told, table in ((split.y_train, before), (split.y_test, before.further)):
        scaled = 2.0 * (table.frame["egfr"].to_numpy() - lower) / (upper - lower) - 1.0
        assert np.sort(told) == pytest.approx(np.sort(scaled))


def test_each_run_divides_the_same_records_anew():
    split = prepare(load("cohort", records=200))
    one, two, again = (paper_002.divided(split, run) for run in (0, 1, 0))
    assert np.array_equal(one.x_train, again.x_train)
    assert not np.array_equal(one.x_train, two.x_train)

    def all_of(each):
        rows = np.vstack([each.x_train, each.x_test])
        return rows[np.lexsort(rows.T)]

    assert np.array_equal(all_of(one), all_of(two))


@pytest.fixture(scope="module")
def figure(tmp_path_factory):
    """Figure 2 of a small cohort and of a set without classes."""
    folder = tmp_path_factory.mktemp("figure")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper_002, "PATIENTS", 1_500)
        patch.setattr(paper_002, "LAMS", (1e-3, 1e-2))
        result = reproduce(
            "paper-002", figure=2, output=str(folder), datasets=("cohort", "diabetes"), runs=2
        )
    return result, folder


@pytest.mark.slow("repeats an experiment of a paper")
def test_the_figure_leaves_tables_pictures_and_verdicts(figure):
    result, folder = figure
    name = "paper-002-figure-2"
    drawn = [f"-{kind}{suffix}" for kind in ("accuracy", "rmse") for suffix in (".png", ".svg")]
    endings = [".csv", "-runs.csv", ".json", *drawn]
    assert {path.name for path in folder.iterdir()} == {name + ending for ending in endings}
    assert json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) == result
    assert any("stand in" in sentence for sentence in result["differs"])
    assert any("lost" in sentence for sentence in result["differs"])
    rows = pd.read_csv(folder / f"{name}-runs.csv")
    assert set(rows["dataset"] + " " + rows["loss"]) == {
        "cohort logistic",
        "cohort squared",
        "diabetes squared",
    }
    for (_, loss, size), own in rows.groupby(["dataset", "loss", "records"]):
        assert len(own) == 2 * len(METHODS) * len(EPSILONS), (loss, size)
    private = rows[rows["method"] != "nonprivate"]
    assert set(private["status"]) == {"proved"}
    # Each method keeps one λ at each ε, and a run's noise is its own.
    assert (rows.groupby(["dataset", "loss", "method", "epsilon"])["lam"].nunique() == 1).all()
    again = private.groupby(["dataset", "loss", "records", "method", "epsilon"])["value"]
    assert (again.nunique() == 2).mean() > 0.9
    summary = pd.read_csv(folder / f"{name}.csv")
    assert (summary["low"] <= summary["mean"]).all()
    assert (summary["mean"] <= summary["high"]).all()


@pytest.mark.slow("repeats an experiment of a paper")
def test_every_conclusion_of_the_text_has_a_verdict(figure):
    result, _ = figure
    verdicts = [Conclusion(**each) for each in result["verdicts"]]
    assert len(verdicts) == 3 + 4 + 2 + 1
    for verdict in verdicts:
        assert "(" in verdict.claim
        assert any(character.isdigit() for character in verdict.seen)
