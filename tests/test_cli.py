"""The command line: text, JSON and exit codes; the same numbers as from Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dpcore.cli import main
from dpcore.datasets import ENTRIES, PAPER_000, Preparation
from dpcore.evaluation.study import Study
from dpcore.evaluation.sweep import COLUMNS, sweep
from dpcore.mechanisms.gaussian import analytic_delta, analytic_epsilon, analytic_sigma
from dpcore.methods import register

Captured = pytest.CaptureFixture[str]

SMALL = ["sweep", "--methods", "nonprivate,opera", "--epsilon", "0.5,5", "--runs", "2"]


EVERY_OPTION = (
    "sweep --dataset cohort --records 300 --loss huber --huber-width 0.3 --lam 0.02 "
    "--methods nonprivate,opera,dpgd --edition published --epsilon 0.5,5 --delta 1e-6 "
    "--adjacency zero-out --runs 3 --seed 4 --steps 20 --batch 30 --missing impute "
    "--scaling data --interval unit --norm clip --intercept --split-seed 2"
)


def said(capsys: Captured, *arguments: str) -> str:
    """Standard output of a command that must succeed."""
    assert main(arguments) == 0
    return capsys.readouterr().out


def parsed(capsys: Captured, *arguments: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(said(capsys, *arguments, "--json"), parse_constant=refuse)


def refused(capsys: Captured, *arguments: str) -> str:
    """The one sentence of a command that must fail."""
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    sentence = captured.err
    assert sentence.endswith(".\n")
    assert sentence.count("\n") == 1
    assert "Traceback" not in sentence
    return sentence


GAUSSIAN = {
    "sigma": (["--epsilon", "1", "--delta", "1e-5"], analytic_sigma(1.0, 1e-5)),
    "epsilon": (["--sigma", "3", "--delta", "1e-5"], analytic_epsilon(3.0, 1e-5)),
    "delta": (["--epsilon", "1", "--sigma", "3"], analytic_delta(1.0, 3.0)),
}


@pytest.mark.parametrize("question", GAUSSIAN)
def test_a_gaussian_answer_in_text_and_in_json(question: str, capsys: Captured) -> None:
    arguments, value = GAUSSIAN[question]
    text = said(capsys, question, *arguments)
    assert text.startswith(f"{question} = {value:.10g}\n")
    assert "mechanism: analytic" in text
    found = parsed(capsys, question, *arguments)
    assert found[question] == value
    assert found["mechanism"] == "analytic"
    assert found["adjacency"]
    assert [condition["met"] for condition in found["conditions"]] == [True]


def test_the_answer_is_in_the_units_of_the_query(capsys: Captured) -> None:
    arguments = ["--epsilon", "1", "--delta", "1e-5", "--sensitivity", "20"]
    found = parsed(capsys, "sigma", *arguments)
    assert found["sigma"] == analytic_sigma(1.0, 1e-5, 20.0)
    assert found["sensitivity"] == 20.0


def test_the_classical_answer_from_epsilon_one_on_is_null_and_no_error(capsys: Captured) -> None:
    arguments = ["sigma", "--epsilon", "1", "--delta", "1e-5", "--mechanism", "classical"]
    found = parsed(capsys, *arguments)
    assert found["sigma"] is None
    assert found["claim"]["sigma"] == pytest.approx(4.8448, abs=1e-4)
    assert [c["met"] for c in found["conditions"]] == [False, True]
    assert found["certified_epsilon"] == analytic_epsilon(found["claim"]["sigma"], 1e-5)
    text = said(capsys, *arguments)
    assert "sigma = (no proved value)" in text
    assert "NOT met: ε < 1" in text
    assert "claim (printed formula): sigma = 4.84480" in text


def test_an_infinite_answer_is_still_json(capsys: Captured) -> None:
    found = parsed(capsys, "epsilon", "--sigma", "1e-300", "--delta", "1e-5")
    assert found["epsilon"] == "inf"


def test_the_catalogue_in_text_and_in_json(capsys: Captured) -> None:
    keys = [entry.key for entry in ENTRIES]
    assert [line.split()[0] for line in said(capsys, "datasets").splitlines()] == keys
    found = parsed(capsys, "datasets")["datasets"]
    assert [entry["key"] for entry in found] == keys
    assert all(entry["licence"] and entry["columns"] for entry in found)


def test_the_register_in_text_and_in_json(capsys: Captured) -> None:
    found = parsed(capsys, "methods")["methods"]
    assert {entry["method"] for entry in found} == set(register())
    for entry in found:
        assert entry["claim"]
        assert entry["proof"]
        assert entry["status"]
    verdicts = {(entry["method"], entry["edition"]): entry["status"] for entry in found}
    assert verdicts["grpua", "published"] == "claim not supported"
    assert verdicts["grpua", "sound"] == "proved"
    text = said(capsys, "methods")
    assert "grpua (published): claim not supported" in text
    assert text.count("  claim: ") == text.count("  proof: ") == len(found)


def test_a_sweep_gives_the_rows_of_the_same_study_in_python(
    capsys: Captured, tmp_path: Path
) -> None:
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
    found = pd.read_csv(file)
    assert tuple(found.columns) == COLUMNS
    same = [name for name in COLUMNS if name != "seconds"]
    pd.testing.assert_frame_equal(found[same], wanted[same], check_exact=True)
    rows = parsed(capsys, *arguments)["sweep"]
    assert [row["objective"] for row in rows] == wanted["objective"].tolist()
    assert rows[0]["sensitivity"] is None  # no noise, no sensitivity


def test_a_sweep_goes_to_standard_output_unless_told_otherwise(
    capsys: Captured, tmp_path: Path
) -> None:
    text = said(capsys, *SMALL)
    assert text.splitlines()[0] == ",".join(COLUMNS)
    assert len(text.splitlines()) == 1 + 2 * 2 * 2
    file = tmp_path / "rows.csv"
    rows = parsed(capsys, *SMALL, "--output", str(file))["sweep"]
    assert pd.read_csv(file)["objective"].tolist() == [row["objective"] for row in rows]


def test_a_convex_sweep_takes_a_radius(capsys: Captured) -> None:
    rows = parsed(capsys, *SMALL, "--lam", "0", "--radius", "3", "--steps", "10")["sweep"]
    assert len(rows) == 8


def test_the_papers_preparation_can_be_named_and_changed(capsys: Captured) -> None:
    wanted = sweep(Study(methods=("nonprivate",), epsilons=(1.0,), runs=1, preparation=PAPER_000))
    base = ["sweep", "--methods", "nonprivate", "--epsilon", "1", "--runs", "1"]
    base += ["--preparation", "paper-000"]
    (row,) = parsed(capsys, *base)["sweep"]
    assert row["objective"] == wanted["objective"][0]
    (changed,) = parsed(capsys, *base, "--intercept")["sweep"]
    assert changed["objective"] != row["objective"]


BAD: list[tuple[str, tuple[str, ...]]] = [
    ("", ("command",)),
    ("dance", ("dance", "sigma")),
    ("sigma --epsilon 1", ("--delta",)),
    ("sigma --epsilon nan --delta 1e-5", ("epsilon", "nan", "above 0")),
    ("sigma --epsilon inf --delta 1e-5", ("epsilon", "inf")),
    ("sigma --epsilon=-1 --delta 1e-5", ("epsilon", "-1", "above 0")),
    ("sigma --epsilon much --delta 1e-5", ("epsilon", "'much'")),
    ("sigma --epsilon 1 --delta 0", ("delta", "0")),
    ("sigma --epsilon 1 --delta 1.5", ("delta", "1.5")),
    ("sigma --epsilon 1 --delta 1e-5 --sensitivity 0", ("sensitivity", "0")),
    ("sigma --epsilon 1 --delta 1e-5 --mechanism laplace", ("mechanism", "'laplace'")),
    ("epsilon --sigma 0 --delta 1e-5", ("sigma", "0", "above 0")),
    ("delta --epsilon 1 --sigma=-2", ("sigma", "-2")),
    ("datasets --verbose", ("--verbose",)),
    ("sweep --dataset nowhere", ("dataset", "'nowhere'", "breast_cancer")),
    ("sweep --records 50 --dataset cohort", ("records", "50", "100")),
    ("sweep --records 500", ("records", "500")),
    ("sweep --loss hinge", ("loss", "'hinge'", "logistic")),
    ("sweep --loss huber --huber-width 0", ("width", "0")),
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
    ("sweep --interval wide", ("interval", "'wide'", "symmetric")),
    ("sweep --split-seed=-1", ("split-seed", "-1")),
    ("sweep --runs", ("--runs",)),
    ("reproduce paper-001 --figure 2 --output x", ("paper", "'paper-001'", "paper-000")),
    ("reproduce paper-000 --output x", ("figure", "table", "exactly one")),
    ("reproduce paper-000 --figure 2 --table 1 --output x", ("exactly one",)),
    ("reproduce paper-000 --figure 6 --output x", ("figure", "6", "2, 3, 4 or 5")),
    ("reproduce paper-000 --figure two --output x", ("figure", "'two'")),
    ("reproduce paper-000 --table 2 --output x", ("table", "2")),
    ("reproduce paper-000 --figure 2", ("--output",)),
    ("reproduce paper-000 --figure 2 --output x --datasets nowhere", ("dataset", "'nowhere'")),
    ("reproduce paper-000 --figure 2 --output x --datasets ,", ("datasets", "empty")),
    (
        "reproduce paper-000 --figure 2 --output x --datasets breast_cancer --runs 0",
        ("runs", "0"),
    ),
]


@pytest.mark.parametrize(("line", "words"), BAD, ids=[line or "nothing" for line, _ in BAD])
def test_bad_input_is_refused_in_one_sentence(
    line: str,
    words: tuple[str, ...],
    capsys: Captured,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    sentence = refused(capsys, *line.split())
    assert all(word in sentence for word in words), sentence
    assert list(tmp_path.iterdir()) == []  # nothing is written, no folder made


@pytest.mark.parametrize("where", ["missing/out.csv", "folder", "file/out.csv"])
def test_output_that_cannot_be_written_is_refused_before_training(
    where: str, capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()

    def never(*_: object, **__: object) -> None:
        raise AssertionError("trained first")

    monkeypatch.setattr("dpcore.evaluation.sweep.sweep", never)
    sentence = refused(capsys, *SMALL, "--output", str(tmp_path / where))
    assert "output" in sentence
    assert where in sentence


def test_a_full_disk_is_told_in_one_sentence(capsys: Captured) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    assert "output" in refused(capsys, *SMALL, "--output", "/dev/full")


def test_a_folder_for_figures_that_cannot_be_made_is_refused(
    capsys: Captured, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    line = ["reproduce", "paper-000", "--figure", "2", "--datasets", "breast_cancer", "--output"]
    assert "output" in refused(capsys, *line, str(tmp_path / "file"))


def test_help_is_no_error(capsys: Captured) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    assert "sweep" in capsys.readouterr().out


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dpcore", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).resolve().parents[1],
        env={**os.environ, **environment},
    )


def test_the_module_runs_as_a_program() -> None:
    good = run("sigma", "--epsilon", "1", "--delta", "1e-5", "--json")
    assert (good.returncode, good.stderr) == (0, "")
    assert json.loads(good.stdout)["sigma"] == analytic_sigma(1.0, 1e-5)
    bad = run("sigma", "--epsilon", "-1", "--delta", "1e-5")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert len(bad.stderr.splitlines()) == 1


def test_a_terminal_without_greek_letters_gets_escapes_that_json_reads() -> None:
    done = run("sigma", "--epsilon", "1", "--delta", "0.1", "--json", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "ε" in json.loads(done.stdout)["conditions"][0]["condition"]


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = [sys.executable, "-m", "dpcore", *SMALL, "--runs", "300"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).resolve().parents[1],
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"dataset,")
        process.stdout.close()
        errors = process.stderr.read()
        assert process.wait(60) == 0
    assert errors == b""
