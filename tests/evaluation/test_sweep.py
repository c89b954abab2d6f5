"""The tidy table: its columns, its repeatability, its progress, and stopping it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.erm.methods import register
from dpcore.errors import Cancelled, InvalidInput
from dpcore.evaluation.curves import noiseless
from dpcore.evaluation.scoring import CLASSIFICATION
from dpcore.evaluation.study import Study
from dpcore.evaluation.sweep import columns, sweep

LEARNING = [key for key, method in register().items() if Study.loss in method.losses]
EVERY = (*LEARNING[:5], *reversed(LEARNING[5:]))
"""Every method, in another order than the register's."""
STUDY = Study(methods=EVERY, epsilons=(0.5, 5.0), runs=3, steps=40, lam=0.05)


@pytest.fixture(scope="module")
def rows(cancer):
    return sweep(STUDY, split=cancer)


def without_time(rows):
    return rows.drop(columns="seconds")


def test_there_is_one_row_per_method_epsilon_and_run_in_the_studys_order(rows):
    assert tuple(rows.columns) == columns(CLASSIFICATION)
    assert {*CLASSIFICATION.run_columns, *noiseless(CLASSIFICATION)} < set(rows.columns)
    wanted = [(m, e, r) for m in EVERY for e in STUDY.epsilons for r in range(STUDY.runs)]
    assert list(zip(rows["method"], rows["epsilon"], rows["run"], strict=True)) == wanted


def test_the_values_are_of_their_kind(rows):
    for column in ("accuracy_train", "accuracy_test", "balanced_accuracy", "auc"):
        assert rows[column].between(0.0, 1.0).all()
    private = rows["method"] != "nonprivate"
    assert (rows.loc[private, "sigma"] > 0).all()
    assert (rows.loc[private, "sensitivity"] > 0).all()
    assert not rows.drop(columns="sensitivity").isna().to_numpy().any()
    mean = (rows["true_positive_rate"] + rows["true_negative_rate"]) / 2
    assert rows["balanced_accuracy"].to_numpy() == pytest.approx(mean.to_numpy())
    assert (rows["excess_risk"] >= -1e-6).all()
    exact = rows[rows["method"] == "nonprivate"]
    assert (exact["excess_risk"] <= 1e-6).all()


@pytest.mark.slow("trains many models")
def test_a_seed_fixes_everything_but_the_time(rows, cancer):
    again = sweep(STUDY, split=cancer)
    pd.testing.assert_frame_equal(without_time(rows), without_time(again), check_exact=True)
    other = sweep(replace(STUDY, seed=1), split=cancer)
    private = rows["method"] != "nonprivate"
    assert (rows.loc[private, "objective"] != other.loc[private, "objective"]).all()


def test_runs_differ_and_the_first_runs_do_not_depend_on_how_many_follow(rows, cancer):
    for (method, _), group in rows.groupby(["method", "epsilon"]):
        assert group["objective"].nunique() == (1 if method == "nonprivate" else STUDY.runs)
    # Only for the methods without batches of records: those draw noise in chunks of all runs.
    study = replace(STUDY, methods=("opera", "dpgd"), runs=2)
    fewer = sweep(study, split=cancer)
    same = rows[rows["method"].isin(study.methods) & (rows["run"] < 2)]
    assert fewer["objective"].to_numpy() == pytest.approx(same["objective"].to_numpy(), rel=1e-5)


@pytest.mark.parametrize("method", EVERY)
def test_a_method_alone_gives_the_rows_it_gives_in_company(method, rows, cancer):
    alone = sweep(replace(STUDY, methods=(method,)), split=cancer)
    together = rows[rows["method"] == method].reset_index(drop=True)
    words = ["dataset", "method", "edition", "epsilon", "delta", "run", "sigma", "status"]
    pd.testing.assert_frame_equal(alone[words], together[words], check_exact=True)
    # The same draws; products of other shapes round differently in single precision.
    for column in ("objective", "excess_risk", "auc"):
        assert alone[column].to_numpy() == pytest.approx(
            together[column].to_numpy(), rel=1e-4, abs=1e-4
        )


def test_one_epsilon_alone_gives_the_rows_it_gives_in_company(rows, cancer):
    alone = sweep(replace(STUDY, epsilons=(5.0,)), split=cancer)
    together = rows[rows["epsilon"] == 5.0]
    wanted = together["objective"].to_numpy()
    assert alone["objective"].to_numpy() == pytest.approx(wanted, rel=1e-4)


def test_progress_grows_from_zero_to_one(cancer):
    seen = []
    sweep(STUDY, split=cancer, progress=lambda share, words: seen.append((share, words)))
    shares = [share for share, _ in seen]
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert (np.diff(shares) >= 0).all()
    assert len({round(share, 2) for share in shares}) >= 5


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize("method", ["opera", "grpua", "dpgd"])
def test_cancel_stops_the_sweep_at_its_next_step(method, cancer):
    study = replace(STUDY, methods=(method,), steps=20_000, batch=1, runs=30)
    shares = [0.0]
    with pytest.raises(Cancelled):
        sweep(
            study,
            split=cancer,
            progress=lambda share, _: shares.append(share),
            cancelled=lambda: shares[-1] > 0.2,
        )
    assert 0.2 < shares[-1] < 0.9


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dataset": "nowhere"}, ("dataset", "'nowhere'")),
        ({"records": 500}, ("records", "500")),
        ({"lam": 0.0}, ("radius", "λ = 0")),
        ({"methods": ("grpua",), "batch": 10_000}, ("batch size", "10000", "455")),
    ],
)
def test_what_only_the_data_can_refuse_is_refused_in_one_sentence(change, words):
    with pytest.raises(InvalidInput) as caught:
        sweep(replace(STUDY, **change))
    assert all(word in str(caught.value) for word in words)


def test_published_editions_keep_their_verdicts(cancer):
    rows = sweep(replace(STUDY, edition="published"), split=cancer)
    status = rows.groupby(["method", "epsilon"])["status"].first()
    assert status["opera", 5.0] == "proved"
    assert status["outpert", 0.5] == "proved"
    assert status["outpert", 5.0] == "conditions not met"
    assert status["grpua", 0.5] == "claim not supported"
    assert status["sgdpert", 0.5] == "claim not supported"
    editions = dict(zip(rows["method"], rows["edition"], strict=True))
    assert editions["dpgd"] == "sound"
    assert editions["grpua"] == "published"
