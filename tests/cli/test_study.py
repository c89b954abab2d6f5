"""A sweep on the command line: what is told at which ε, refusals, and where it is written."""

import io
from pathlib import Path

import pandas as pd
import pytest

from dpcore.datasets import Preparation, load
from dpcore.evaluation.baselines import baselines
from dpcore.evaluation.curves import SAME_LAM, WITHOUT_PRIVACY
from dpcore.evaluation.scoring.classes import CLASSIFICATION
from dpcore.evaluation.splits import splits_of
from dpcore.evaluation.sweep import columns
from tests.cli.commands import parsed, refused, said

SMALL = [
    "sweep",
    "--every-run",
    "--methods",
    "nonprivate,opera",
    "--epsilon",
    "0.5,5",
    "--runs",
    "2",
]


def test_what_is_not_private_is_told_once_and_at_no_epsilon(capsys, tmp_path):
    shown = pd.read_csv(io.StringIO(said(capsys, *SMALL)))
    assert tuple(shown.columns) == (*columns(CLASSIFICATION), "measures")
    assert set(shown["measures"]) == {"not private"}
    assert shown["method"].tolist() == [SAME_LAM, *["opera"] * 4]
    assert shown.loc[0, ["epsilon", "delta"]].isna().all()
    file = tmp_path / "rows.csv"
    rows = parsed(capsys, *SMALL, "--output", str(file))["cost"]
    assert pd.read_csv(file)["objective"].tolist() == [row["objective"] for row in rows]


BAD: list[tuple[str, tuple[str, ...]]] = [
    (
        "sweep --dataset diabetes --loss logistic --methods opera --epsilon 1",
        ("loss for diabetes is 'logistic'", "squared"),
    ),
    ("sweep --dataset diabetes --methods grpua", ("GRPUA learns to tell two classes apart only",)),
    ("sweep --methods adassp", ("AdaSSP learns to predict a number only",)),
    ("sweep --dataset nowhere", ("dataset", "'nowhere'", "breast_cancer")),
    ("sweep --records 50 --dataset cohort", ("records", "50", "100")),
    ("sweep --loss hinge", ("loss", "'hinge'", "logistic")),
    ("sweep --loss huber --huber-width 0", ("width", "0")),
    ("sweep --missing-contributors -1", ("missing-contributors", "-1")),
    ("sweep --methods magic", ("method", "'magic'", "opera")),
    ("sweep --methods ,", ("methods", "empty")),
    ("sweep --edition draft", ("edition", "'draft'")),
    ("sweep --epsilon 1,,2", ("epsilon", "''")),
    ("sweep --epsilon 1,nan", ("epsilon", "nan")),
    ("sweep --delta 0.9", ("delta", "0.9", "0.5")),
    ("sweep --lam=-1", ("λ", "-1", "at least 0")),
    ("sweep --lam 0", ("radius", "λ = 0")),
    ("sweep --adjacency add-remove", ("adjacency", "'add-remove'")),
    ("sweep --runs 100000", ("runs", "100000", "1 000")),
    ("sweep --seed=-1", ("seed", "-1")),
    ("sweep --steps 0", ("steps", "0")),
    ("sweep --batch none", ("batch", "'none'")),
    ("sweep --methods grpua --batch 5000", ("batch", "5000", "455")),
    ("sweep --preparation mine", ("preparation", "'mine'", "public")),
    ("sweep --missing keep", ("missing", "'keep'", "drop")),
    ("sweep --features wave", ("features", "'wave'", "fourier")),
    ("sweep --fourier-features 33", ("fourier_features", "33", "even")),
    ("sweep --bandwidth 0", ("bandwidth", "0", "at least 0.01")),
    ("sweep --split-seed=-1", ("split-seed", "-1")),
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

    monkeypatch.setattr("dpcore.cli.asked.ask", never)
    monkeypatch.chdir(tmp_path)  # a long name would be cut
    sentence = refused(capsys, *SMALL, "--output", where)
    assert "output" in sentence
    assert where in sentence


def test_a_full_disk_is_told_in_one_sentence(capsys):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    assert "output" in refused(capsys, *SMALL, "--output", "/dev/full")


@pytest.mark.slow("trains on three splits")
@pytest.mark.usefixtures("few_splits")
@pytest.mark.parametrize(
    ("dataset", "loss", "measures"),
    [("breast_cancer", "logistic", ("accuracy", "auc")), ("diabetes", "squared", ("rmse",))],
)
def test_a_summary_carries_the_model_without_privacy_and_the_noise_free_twin(
    dataset, loss, measures, capsys, tmp_path
):
    path = tmp_path / "out.csv"
    line = ["sweep", "--dataset", dataset, "--loss", loss, "--output", str(path)]
    said(capsys, *line, "--methods", "nonprivate,opera", "--epsilon", "0.5,5", "--lam", "0.3")
    table = pd.read_csv(path)
    compared = baselines(splits_of(dataset, None, Preparation()), load(dataset))
    exact, noisy = (table[table["method"] == name] for name in (SAME_LAM, "opera"))
    for measure in measures:
        assert table[f"{measure}_baseline"].to_list() == pytest.approx(
            [compared.measured[measure]] * len(table)
        )
        # λ = 0.3 is not what one would use without privacy, and that has nothing to do with noise.
        assert (exact[f"{measure}_noiseless"] == exact[measure]).all()
        assert (exact[measure] != exact[f"{measure}_baseline"]).all()
        assert noisy[f"{measure}_noiseless"].iloc[0] != noisy[measure].iloc[0]
        # The model that the page compares with has a row of its own.
        assert table["method"].iloc[-1] == WITHOUT_PRIVACY
        assert table[measure].iloc[-1] == pytest.approx(compared.measured[measure])
