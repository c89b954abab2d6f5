"""Training on the command line: the history from Python, files, a stop that keeps its books."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from dpcore.accounting.planner import Training, spent
from dpcore.cli import main
from dpcore.deep.recipe import Recipe
from dpcore.evaluation.trainer import Trainer
from dpcore.evaluation.training import TrainingStudy, train
from tests.cli.commands import Captured, parsed, refused, said

SMALL = "train --network linear --epochs 2 --batch-size 256 --device cpu"
RECORDS = 1_437


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_every_option_reaches_the_study(capsys: Captured, tmp_path: Path) -> None:
    line = (
        "train --dataset cohort --set records=400 --features raw --network perceptron --widths 8,4 "
        "--activation tanh --optimizer momentum --learning-rate 0.2 --clip 0.5 --per-layer "
        "--epsilon 8 --delta 1e-6 --epochs 3 --batch-size 40 --schedule decay --decay 0.9 "
        "--decay-every step --sampling fixed --adjacency replace-one --runs 2 --seed 5 --held-out "
        f"--device cpu --output {tmp_path / 'run'}"
    )
    said(capsys, *line.split())
    wanted = train(
        TrainingStudy(
            "cohort",
            recipe=Recipe(
                network="perceptron",
                widths=(8, 4),
                activation="tanh",
                optimizer="momentum",
                learning_rate=0.2,
                clip=0.5,
                per_layer=True,
                delta=1e-6,
                epochs=3,
                batch=40,
                decay=0.9,
                decay_every="step",
                sampling="fixed",
                adjacency="replace-one",
                seed=5,
            ),
            epsilon=8.0,
            runs=2,
            held_out=True,
            settings=(("records", 400),),
        ),
        device="cpu",
    )
    found = pd.read_csv(tmp_path / "run" / "history.csv")
    pd.testing.assert_frame_equal(
        found.drop(columns="seconds"), wanted.drop(columns="seconds"), rtol=1e-12
    )
    settings = json.loads((tmp_path / "run" / "settings.json").read_text("utf-8"))
    assert settings["study"]["settings"] == [["records", 400]]
    weights = np.load(tmp_path / "run" / "weights.npz")
    assert weights["0.weight"].shape[:2] == (2, 8)


def test_json_says_what_is_certified_and_apart_from_it_what_is_claimed(capsys: Captured) -> None:
    found = parsed(capsys, *SMALL.split(), "--epsilon", "3", "--runs", "2")["train"]
    run = Training(found["sigma"], RECORDS, 256, 12, 1e-5)
    assert found["epsilon"] == pytest.approx(spent(run, "pld").epsilon, rel=1e-6)
    assert (found["delta"], found["adjacency"], found["accountant"]) == (1e-5, "add-remove", "PLD")
    assert (found["steps"], found["steps_planned"], found["stopped"]) == (12, 12, False)
    assert 0.3 < found["accuracy"]["mean"] < 1.0
    assert found["auc"] is None
    assert found["status"] == "proved"
    assert found["claim"]["by"].startswith("paper 003")
    assert found["claim"]["epsilon"] != found["epsilon"]
    assert found["claim"]["conditions"]


def test_the_words_say_the_same(capsys: Captured) -> None:
    text = said(capsys, *SMALL.split())
    assert "digits (raw), linear, isotropic noise: 1,437 records, 1 run\n" in text
    assert "accuracy on test records: 0." in text
    assert "under add-remove is spent after 12 of 12 steps, certified by PLD" in text
    assert "status: proved" in text
    assert "claim: ε = " in text
    assert "under replace-one (paper 003, equations (3) and (4)" in text


def test_without_privacy_no_epsilon_is_spoken_of(capsys: Captured) -> None:
    text = said(capsys, *SMALL.split(), "--sigma", "0", "--no-clipping")
    assert "No ε is certified for 12 of 12 steps: Nothing is clipped." in text
    assert "status: not private" in text
    assert "claim" not in text


def test_paper_004s_noise_is_a_claim_beside_its_sound_form(capsys: Captured) -> None:
    published = parsed(capsys, *SMALL.split(), "--noise", "published-004", "--epsilon", "2")
    assert published["train"]["epsilon"] is None
    assert published["train"]["status"] == "claim not supported"
    assert published["train"]["claim"]["epsilon"] == pytest.approx(2.0, rel=1e-6)
    sound = parsed(capsys, *SMALL.split(), "--noise", "scaled", "--epsilon", "2")
    assert 1.99 < sound["train"]["epsilon"] <= 2.0
    assert sound["train"]["status"] == "proved"
    assert sound["train"]["claim"]["epsilon"] is None


def test_a_budget_ends_the_training(capsys: Captured) -> None:
    found = parsed(capsys, *SMALL.split(), "--sigma", "1.5", "--budget", "2")["train"]
    assert found["steps"] == found["steps_planned"] < 12
    assert found["epsilon"] <= 2.0


def test_ctrl_c_leaves_the_history_and_says_what_was_spent(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Pressed during the second epoch; the step being taken is finished and counted.
    original = Trainer._note

    def note(self: Trainer, batch: object) -> None:
        original(self, batch)
        if self.taken(0) == 6:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Trainer, "_note", note)
    line = f"{SMALL} --sigma 2 --json --output {tmp_path}"
    before = signal.getsignal(signal.SIGINT)
    assert main(line.split()) == 130
    assert signal.getsignal(signal.SIGINT) is before
    captured = capsys.readouterr()
    found = json.loads(captured.out)["train"]
    assert (found["stopped"], found["steps"], found["steps_planned"]) == (True, 6, 12)
    wanted = spent(Training(2.0, RECORDS, 256, 6, 1e-5), "pld").epsilon
    assert found["epsilon"] == pytest.approx(wanted, rel=1e-6)
    assert "is spent after 6 of 12 steps, certified by PLD" in captured.err
    assert pd.read_csv(tmp_path / "history.csv")["steps"].tolist() == [6]
    assert (tmp_path / "weights.npz").exists()


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("--dataset nothing", "dataset"),
        ("--network deep", "network"),
        ("--epsilon 0", "epsilon"),
        ("--epsilon 1 --sigma 2", "both given"),
        ("--sigma -1", "sigma"),
        ("--epochs many", "epochs"),
        ("--batch-size 5000", "batch"),
        ("--schedule linear", "schedule"),
        ("--schedule constant --decay 0.9", "constant noise"),
        ("--decay-every epoch", "constant noise"),
        ("--decay 2", "decay"),
        ("--runs 0", "runs"),
        ("--device tpu", "device"),
        ("--set records", "NAME=VALUE"),
        ("--set records=5", "records"),
        ("--features deep", "features"),
        ("--noise round", "noise"),
        ("--noise scaled --weights public", "public"),
        ("--sampling fixed", "Rényi has no theorem"),
        ("--output no/such/folder", "output"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(line: str, word: str, capsys: Captured) -> None:
    assert word in refused(capsys, *SMALL.split(), *line.split())
