"""A sweep on the command line: the same rows as from Python."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpcore.datasets import PAPER_000, Preparation, load
from dpcore.evaluation.baselines import LINEAR, baselines
from dpcore.evaluation.curves import SAME_LAM, WITHOUT_PRIVACY
from dpcore.evaluation.splits import splits_of
from dpcore.evaluation.study import Study
from dpcore.evaluation.sweep import COLUMNS, sweep
from tests.cli.commands import parsed, refused, said

SMALL = ["sweep", "--methods", "nonprivate,opera", "--epsilon", "0.5,5", "--runs", "2"]


EVERY_OPTION = (
    "sweep --dataset cohort --records 300 --loss huber --huber-width 0.3 --lam 0.02 "
    "--methods nonprivate,opera,dpgd --edition published --epsilon 0.5,5 --delta 1e-6 "
    "--adjacency zero-out --runs 3 --seed 4 --steps 20 --batch 30 --missing impute "
    "--scaling data --interval unit --norm clip --intercept --split-seed 2"
)


def test_a_sweep_gives_the_rows_of_the_same_study_in_python(capsys, tmp_path):
    wanted = sweep(
        Study(
            dataset="cohort",
            records=300,
            loss="huber",
            huber_width=0.3,
            lam=0.02,
            methods=("nonprivate", "opera", "dpgd"),
            edition="published",
            epsilons=(0.5, 5.0),
            delta=1e-6,
            adjacency="zero-out",
            runs=3,
            seed=4,
            steps=20,
            batch=30,
            preparation=Preparation(
                missing="impute",
                scaling="data",
                interval="unit",
                norm="clip",
                intercept=True,
                seed=2,
            ),
        )
    )
    file = tmp_path / "out.csv"
    arguments = EVERY_OPTION.split()
    assert said(capsys, *arguments, "--output", str(file)) == ""
    actual = pd.read_csv(file)
    assert tuple(actual.columns) == (*COLUMNS, "measures")
    assert set(actual["measures"]) == {"not private"}
    same = [name for name in COLUMNS if name != "seconds"]
    wanted["method"] = wanted["method"].replace({"nonprivate": SAME_LAM})
    pd.testing.assert_frame_equal(actual[same], wanted[same], check_exact=True)
    rows = parsed(capsys, *arguments)["sweep"]
    assert [row["objective"] for row in rows] == wanted["objective"].tolist()
    assert rows[0]["sensitivity"] is None  # no noise, no sensitivity


@pytest.mark.slow("runs whole commands, which train")
@pytest.mark.usefixtures("few_splits")
@pytest.mark.parametrize("also", [[], ["--summary"]])
def test_what_is_not_private_is_told_once_and_at_no_epsilon(capsys, also):
    shown = pd.read_csv(io.StringIO(said(capsys, *SMALL, *also)))
    every = parsed(capsys, *SMALL, *also)["sweep"]
    (free,) = shown[shown["method"] == SAME_LAM].to_dict("records")
    assert np.isnan([free["epsilon"], free["delta"]]).all()
    assert free["objective"] == every[0]["objective"]
    private = [row["objective"] for row in every if row["method"] == "opera"]
    assert shown.loc[shown["method"] == "opera", "objective"].tolist() == private


def test_a_sweep_goes_to_standard_output_unless_told_otherwise(capsys, tmp_path):
    text = said(capsys, *SMALL)
    assert text.splitlines()[0] == ",".join((*COLUMNS, "measures"))
    assert len(text.splitlines()) == 1 + 1 + 2 * 2
    file = tmp_path / "rows.csv"
    rows = parsed(capsys, *SMALL, "--output", str(file))["sweep"]
    assert pd.read_csv(file)["objective"].tolist() == [row["objective"] for row in rows]


def test_a_convex_sweep_takes_a_radius(capsys):
    rows = parsed(capsys, *SMALL, "--lam", "0", "--radius", "3", "--steps", "10")["sweep"]
    assert len(rows) == 8


def test_the_papers_preparation_can_be_named_and_changed(capsys):
    wanted = sweep(Study(methods=("nonprivate",), epsilons=(1.0,), runs=1, preparation=PAPER_000))
    base = ["sweep", "--methods", "nonprivate", "--epsilon", "1", "--runs", "1"]
    base += ["--preparation", "paper-000"]
    (row,) = parsed(capsys, *base)["sweep"]
    assert row["objective"] == wanted["objective"][0]
    (changed,) = parsed(capsys, *base, "--intercept")["sweep"]
    assert changed["objective"] != row["objective"]


BAD: list[tuple[str, tuple[str, ...]]] = [
    ("sweep --dataset nowhere", ("dataset", "'nowhere'", "breast_cancer")),
    ("sweep --records 50 --dataset cohort", ("records", "50", "100")),
    ("sweep --records 500", ("records", "500")),
    ("sweep --loss hinge", ("loss", "'hinge'", "logistic")),
    ("sweep --loss huber --huber-width 0", ("width", "0")),
    ("sweep --missing-contributors -1", ("missing-contributors", "-1")),
    ("sweep --missing-contributors some", ("missing-contributors", "'some'")),
    ("sweep --methods magic", ("method", "'magic'", "opera")),
    ("sweep --methods ,", ("methods", "empty")),
    ("sweep --edition draft", ("edition", "'draft'")),
    ("sweep --epsilon 1,,2", ("epsilon", "''")),
    ("sweep --epsilon 1,nan", ("epsilon", "nan")),
    ("sweep --epsilon 0", ("epsilon", "0", "1e-12")),
    ("sweep --delta 0.9", ("delta", "0.9", "0.5")),
    ("sweep --lam=-1", ("λ", "-1", "at least 0")),
    ("sweep --lam inf", ("lam", "inf")),
    ("sweep --lam 0", ("radius", "λ = 0")),
    ("sweep --lam 0 --radius=-1", ("radius", "-1")),
    ("sweep --adjacency add-remove", ("adjacency", "'add-remove'")),
    ("sweep --runs 0", ("runs", "0")),
    ("sweep --runs 2.5", ("runs", "2.5")),
    ("sweep --runs 100000", ("runs", "100000", "1,000")),
    ("sweep --seed=-1", ("seed", "-1")),
    ("sweep --steps 0", ("steps", "0")),
    ("sweep --batch none", ("batch", "'none'")),
    ("sweep --methods grpua --batch 5000", ("batch", "5000", "455")),
    ("sweep --preparation mine", ("preparation", "'mine'", "public")),
    ("sweep --missing keep", ("missing", "'keep'", "drop")),
    ("sweep --scaling own", ("scaling", "'own'", "public")),
    ("sweep --norm none", ("norm", "'none'", "unit")),
    ("sweep --features wave", ("features", "'wave'", "fourier")),
    ("sweep --fourier-features 33", ("fourier_features", "33", "even")),
    ("sweep --bandwidth 0", ("bandwidth", "0", "at least 0.01")),
    ("sweep --interval wide", ("interval", "'wide'", "symmetric")),
    ("sweep --split-seed=-1", ("split-seed", "-1")),
    ("sweep --runs", ("--runs",)),
]


@pytest.mark.parametrize(("line", "words"), BAD, ids=[line or "nothing" for line, _ in BAD])
def test_bad_input_is_refused_in_one_sentence(line, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sentence = refused(capsys, *line.split())
    assert all(word in sentence for word in words), sentence
    assert list(tmp_path.iterdir()) == []  # nothing is written, no folder made


@pytest.mark.parametrize("where", ["missing/out.csv", "folder", "file/out.csv"])
def test_output_that_cannot_be_written_is_refused_before_training(
    where, capsys, tmp_path, monkeypatch
):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()

    def never(*_, **__):
        raise AssertionError("trained first")

    monkeypatch.setattr("dpcore.cli.sweep.sweep", never)
    monkeypatch.chdir(tmp_path)  # a long name would be cut
    sentence = refused(capsys, *SMALL, "--output", where)
    assert "output" in sentence
    assert where in sentence


def test_a_full_disk_is_told_in_one_sentence(capsys):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    assert "output" in refused(capsys, *SMALL, "--output", "/dev/full")


@pytest.mark.slow("runs whole commands, which train")
def test_a_number_to_predict_brings_its_own_loss_and_columns(capsys):
    arguments = ["sweep", "--dataset", "diabetes", "--methods", "nonprivate,adassp"]
    rows = parsed(capsys, *arguments, "--epsilon", "1", "--runs", "2")["sweep"]
    assert {row["loss"] for row in rows} == {"squared"}
    assert all(50.0 < row["rmse_test"] < 120.0 and row["r2_test"] < 0.6 for row in rows)
    assert "accuracy_test" not in rows[0]
    summary = parsed(capsys, *arguments, "--epsilon", "1", "--summary")["sweep"][0]
    assert summary["rmse_low"] <= summary["rmse"] <= summary["rmse_high"]
    refusals = (
        (
            "--loss logistic --methods opera",
            "loss for diabetes is 'logistic', but it must be one of squared.",
        ),
        ("--methods grpua", "GRPUA learns to tell two classes apart only."),
        ("--dataset breast_cancer", "AdaSSP learns to predict a number only."),
    )
    for more, sentence in refusals:
        assert sentence in refused(capsys, *arguments, *more.split())


@pytest.mark.slow("runs whole commands, which train")
@pytest.mark.usefixtures("few_splits")
@pytest.mark.parametrize(
    ("dataset", "loss", "measures"),
    [("breast_cancer", "logistic", ("accuracy", "auc")), ("diabetes", "squared", ("rmse",))],
)
def test_a_summary_carries_the_model_without_privacy_and_the_noise_free_twin(
    dataset, loss, measures, capsys, tmp_path
):
    path = tmp_path / "out.csv"
    line = ["sweep", "--summary", "--dataset", dataset, "--loss", loss, "--output", str(path)]
    said(capsys, *line, "--methods", "nonprivate,opera", "--epsilon", "0.5,5", "--lam", "0.3")
    table = pd.read_csv(path)
    compared = baselines(splits_of(dataset, None, Preparation()), load(dataset))
    for measure in measures:
        assert table[f"{measure}_baseline"].to_list() == pytest.approx(
            [compared.measured[measure]] * len(table)
        )
        # λ = 0.3 is not what one would use without privacy, and that has nothing to do with noise.
        exact = table[table["method"] == SAME_LAM]
        assert (exact[f"{measure}_noiseless"] == exact[measure]).all()
        assert (exact[measure] != exact[f"{measure}_baseline"]).all()
        noisy = table[(table["method"] == "opera") & (table["epsilon"] == 0.5)]
        assert (noisy[f"{measure}_noiseless"] != noisy[measure]).all()
        # The model that the page compares with has rows of its own.
        assert table["method"].iloc[-1] == WITHOUT_PRIVACY
        assert table[measure].iloc[-1] == pytest.approx(compared.measured[measure])
        linear = table[table["method"] == f"{WITHOUT_PRIVACY}, {LINEAR}"]
        assert len(linear) == (compared.model != LINEAR)
        assert "nonprivate" not in set(table["method"])
    # A single run has no place for it: it is no result of that run.
    rows = tmp_path / "rows.csv"
    said(capsys, *SMALL, "--output", str(rows))
    assert not [name for name in pd.read_csv(rows) if name.endswith("_baseline")]
