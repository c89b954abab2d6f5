"""Training on the command line: its files, a budget, and a stop that keeps its ledger."""

import errno
import json
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpcore.accounting.events import TrainingPlan
from dpcore.accounting.planner import spent
from dpcore.cli import main
from dpcore.evaluation.training.trainer import Trainer
from dpcore.work import task
from tests.cli.commands import parsed, refused, said, stop_after

SMALL = "train --network linear --epochs 2 --batch-size 256 --device cpu"
RECORDS = 1_437
FILES = ["measures.csv", "measures.json", "settings.json", "weights.npz"]


pytestmark = pytest.mark.usefixtures("one_thread")


def test_a_budget_ends_the_training(capsys):
    result = parsed(capsys, *SMALL.split(), "--sigma", "1.5", "--budget", "2")["train"]
    assert result["steps"] == result["steps_planned"] < 12
    assert result["certified"]["epsilon"] <= 2.0


def test_ctrl_c_leaves_the_history_and_says_what_was_spent(capsys, tmp_path, monkeypatch):
    # Pressed during the second epoch; the step being taken is finished and counted.
    stop_after(monkeypatch, 6)
    line = f"{SMALL} --sigma 2 --json --output {tmp_path}"
    before = signal.getsignal(signal.SIGINT)
    assert main(line.split()) == 130
    assert signal.getsignal(signal.SIGINT) is before
    captured = capsys.readouterr()
    actual = json.loads(captured.out)["train"]
    assert (actual["stopped"], actual["steps"], actual["steps_planned"]) == (True, 6, 12)
    wanted = spent(TrainingPlan(2.0, RECORDS, 256, 6, 1e-5), "pld").epsilon
    assert actual["epsilon"] == pytest.approx(wanted, rel=1e-6)
    assert "is spent after 6 of 12 steps, certified by PLD" in captured.err
    assert (actual["randomness"], actual["status"]) == ("system", "proved")
    assert pd.read_csv(tmp_path / "measures.csv")["steps"].tolist() == [6]
    assert (tmp_path / "weights.npz").exists()


@pytest.fixture
def private_cache(tmp_path, monkeypatch):
    """The user's cache folder, empty."""
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("seed", ["", "--seed 3"])
def test_what_a_stopped_training_goes_on_from_is_private_and_no_output(
    seed, capsys, tmp_path, private_cache, monkeypatch
):
    output = tmp_path / "run"
    stop_after(monkeypatch, 6)
    assert main([*SMALL.split(), *seed.split(), "--output", str(output)]) == 130
    capsys.readouterr()
    assert sorted(path.name for path in output.iterdir()) == FILES
    (state,) = (private_cache / "unfinished").iterdir()
    assert state.stat().st_mode & 0o777 == 0o600
    assert state.parent.stat().st_mode & 0o777 == 0o700
    settings = json.loads((output / "settings.json").read_text("utf-8"))
    assert settings["unfinished"] == state.stem
    result = parsed(capsys, "train", "--resume", "--output", str(output), "--device", "cpu")
    assert result["train"]["steps"] == 12
    assert result["train"]["randomness"] == ("seed" if seed else "system")
    assert list(state.parent.iterdir()) == []
    assert "unfinished" not in (output / "settings.json").read_text("utf-8")


def test_only_one_goes_on_from_where_a_training_was_stopped(
    capsys, tmp_path, private_cache, monkeypatch
):
    """Two would release the later steps twice; the state outlives neither of them."""
    output = tmp_path / "run"
    stop_after(monkeypatch, 6)
    assert main([*SMALL.split(), "--output", str(output)]) == 130
    capsys.readouterr()
    resume = ["train", "--resume", "--output", str(output), "--device", "cpu"]
    original, others = Trainer.run, []

    def run(self, *given, **named):
        # While the first goes on, a second one asks.
        monkeypatch.setattr(Trainer, "run", original)
        others.append(refused(capsys, *resume))
        original(self, *given, **named)

    monkeypatch.setattr(Trainer, "run", run)
    assert parsed(capsys, *resume)["train"]["steps"] == 12
    assert "was stopped here" in others[0]
    assert list((private_cache / "unfinished").iterdir()) == []


def test_output_is_for_keeping_unless_there_is_a_seed(capsys, tmp_path):
    texts, weights = {}, []
    for name, seed in (
        ("first", ""),
        ("second", ""),
        ("seeded", "--seed 0"),
        ("again", "--seed 0"),
    ):
        folder = tmp_path / name
        texts[name] = said(capsys, *SMALL.split(), *seed.split(), "--output", str(folder))
        weights.append(np.load(folder / "weights.npz")["0.weight"])
    first, second, seeded, again = weights
    assert np.array_equal(seeded, again)
    assert not np.array_equal(first, second)
    assert not np.array_equal(first, seeded)
    assert "status: proved" in texts["first"]
    assert "status: exploration only" in texts["seeded"]
    settings = [
        json.loads((tmp_path / name / "settings.json").read_text("utf-8"))["conclusion"]
        for name in ("first", "seeded")
    ]
    assert [each["randomness"] for each in settings] == ["system", "seed"]
    assert [each["status"] for each in settings] == ["proved", "exploration only"]
    assert 2.99 < settings[0]["epsilon"] <= 3.0
    assert settings[1]["epsilon"] is None


@pytest.mark.slow("runs whole commands, which train")
@pytest.mark.parametrize("more", ["", "--compare"])
def test_a_stopped_training_is_resumed_as_if_unbroken(
    more, capsys, tmp_path, private_cache, monkeypatch
):
    line = f"{SMALL} --epsilon 3 --decay 0.9 --runs 2 --seed 0 --set seed=3 --dataset cohort {more}"
    wanted = parsed(capsys, *line.split(), "--output", str(tmp_path / "whole"))
    part = str(tmp_path / "part")
    stop_after(monkeypatch, 12)
    assert main([*line.split(), "--output", part]) == 130
    assert f"Go on with: dpcore train --resume --output {part}" in capsys.readouterr().err
    actual = parsed(capsys, "train", "--resume", "--output", part, "--device", "cpu")
    assert actual == wanted
    assert actual["train"]["steps"] == actual["train"]["steps_planned"] == 24
    rows = [pd.read_csv(tmp_path / each / "measures.csv") for each in ("whole", "part")]
    pd.testing.assert_frame_equal(*(each.drop(columns="seconds") for each in rows))
    weights = [np.load(tmp_path / each / "weights.npz") for each in ("whole", "part")]
    for name in weights[0]:
        assert np.array_equal(weights[0][name], weights[1][name])
    for each in ("whole", "part"):
        assert sorted(path.name for path in (tmp_path / each).iterdir()) == FILES
    assert list((private_cache / "unfinished").iterdir()) == []
    assert "was stopped here" in refused(capsys, "train", "--resume", "--output", part)


@pytest.mark.slow("runs whole commands, which train")
def test_weights_never_lie_beside_an_earlier_epsilon(capsys, tmp_path, monkeypatch):
    line = [*SMALL.split(), "--output", str(tmp_path)]
    said(capsys, *line, "--epsilon", "1")
    earlier, original = (tmp_path / "weights.npz").read_bytes(), Path.write_bytes

    def until_full(self, data):
        if self.name == "settings.json":
            raise OSError(errno.ENOSPC, "No space left on device")
        return original(self, data)

    monkeypatch.setattr(Path, "write_bytes", until_full)
    assert main([*line, "--epsilon", "8"]) == 2
    assert "No space left" in capsys.readouterr().err
    assert (tmp_path / "weights.npz").read_bytes() != earlier
    assert not (tmp_path / "settings.json").exists()


def test_a_state_that_does_not_fit_is_refused(capsys, tmp_path, private_cache, monkeypatch):
    output = tmp_path / "run"
    resume = ["train", "--resume", "--output", str(output)]
    assert "was stopped here" in refused(capsys, *resume)
    assert "output" in refused(capsys, "train", "--resume")
    assert "epochs is given" in refused(capsys, *resume, "--epochs", "4")
    output.mkdir()
    for text in (
        "nothing",
        "[" * 200_000,
        "[]",
        '{"unfinished": "../../secret"}',
        '{"unfinished": 3}',
    ):
        (output / "settings.json").write_text(text)
        assert "was stopped here" in refused(capsys, *resume)
    stop_after(monkeypatch, 6)
    assert main([*SMALL.split(), "--sigma", "2", "--output", str(output)]) == 130
    capsys.readouterr()
    (state,) = (private_cache / "unfinished").iterdir()
    good = state.read_bytes()
    state.write_bytes(b"nothing")
    assert "damaged" in refused(capsys, *resume)
    state.write_bytes(good)
    monkeypatch.setattr(task, "code", lambda home: "other")
    assert "version of the program" in refused(capsys, *resume)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("--dataset nothing", "dataset"),
        ("--network deep", "network"),
        ("--epsilon 0", "epsilon"),
        ("--epsilon 1 --sigma 2", "both given"),
        ("--epochs many", "epochs"),
        ("--batch-size 5000", "batch"),
        ("--schedule constant --decay 0.9", "constant noise"),
        ("--device tpu", "device"),
        ("--set records", "NAME=VALUE"),
        ("--set records=5", "records"),
        ("--dataset cohort --set preparation=none", "preparation"),
        ("--features deep", "features"),
        ("--noise round", "noise"),
        ("--noise scaled --weights public", "public"),
        ("--adjacency add-remove", "public size"),
        ("--public-size 900", "public size"),
        ("--adjacency add-remove --public-size 900 --sampling fixed", "sampling under add-remove"),
        ("--output no/such/folder", "output"),
        ("--runs 3 --models 4", "models"),
        ("--sigma 2 --compare", "target epsilon"),
        ("--sigma 0 --compare", "target epsilon"),
        ("--no-clipping --compare", "target epsilon"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(line, word, capsys):
    assert word in refused(capsys, *SMALL.split(), *line.split())


def test_an_assumption_of_the_users_is_not_called_met(capsys):
    line = f"{SMALL} --noise scaled --weights public --public 100"
    assumed = "the examples set aside as public are nobody's secret"
    conditions = parsed(capsys, *line.split())["train"]["conditions"]
    assert [each["condition"] for each in conditions if each["assumed"]] == [assumed]
    assert f"condition met: {assumed}" not in said(capsys, *line.split())


def test_a_training_that_is_the_best_of_several_counts_them_all(capsys, tmp_path):
    output = str(tmp_path / "best")
    best = parsed(capsys, *SMALL.split(), "--chosen-of", "3", "--output", output)["train"]
    one = parsed(capsys, *SMALL.split(), "--output", str(tmp_path / "one"))["train"]
    assert best["choice"] == "chosen among 3, declared"
    assert one["choice"] == "choice not declared"
    assert best["sigma"] > 1.2 * one["sigma"]
    assert best["epsilon"] == pytest.approx(one["epsilon"], rel=1e-3)
    line = [*SMALL.split(), "--chosen-of", "3", "--chosen-by", "records"]
    assert "Conditions not met: a choice by measures" in refused(capsys, *line)
