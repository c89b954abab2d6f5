"""Training on the command line: the history from Python, files, a stop that keeps its ledger."""

import errno
import json
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpcore.accounting.planner import spent
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.cli import main
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation import task, tuned_configs
from dpcore.evaluation.training.report import measured
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.task import train
from dpcore.evaluation.training.trainer import Trainer
from tests.cli.commands import parsed, refused, said, stop_after

SMALL = "train --network linear --epochs 2 --batch-size 256 --device cpu"
RECORDS = 1_437
FILES = ["measures.csv", "measures.json", "settings.json", "weights.npz"]


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.slow("runs whole commands, which train")
def test_every_option_reaches_the_study(capsys, tmp_path):
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
            config=TrainingConfig(
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
    actual = pd.read_csv(tmp_path / "run" / "measures.csv")
    pd.testing.assert_frame_equal(
        actual.drop(columns="seconds"), measured(wanted).drop(columns="seconds"), rtol=1e-12
    )
    settings = json.loads((tmp_path / "run" / "settings.json").read_text("utf-8"))
    assert settings["study"]["settings"] == [["records", 400]]
    weights = np.load(tmp_path / "run" / "weights.npz")
    assert weights["0.weight"].shape[:2] == (1, 8)  # of two runs, the first one's
    assert settings["conclusion"]["status"] == "exploration only"
    assert settings["conclusion"]["epsilon"] is None


def test_json_says_what_is_certified_and_apart_from_it_what_is_claimed(capsys):
    said = parsed(capsys, *SMALL.split(), "--epsilon", "3", "--runs", "2")
    result = said["train"]
    run = TrainingPlan(result["sigma"], RECORDS, 256, 12, 1e-5)
    certified = result["certified"]
    assert certified["epsilon"] == pytest.approx(spent(run, "pld").epsilon, rel=1e-6)
    assert certified["status"] == "proved"
    assert (result["delta"], result["adjacency"], result["accountant"]) == (1e-5, "zero-out", "PLD")
    assert (result["steps"], result["steps_planned"], result["stopped"]) == (12, 12, False)
    assert 0.3 < said["measures"]["accuracy"]["mean"] < 1.0
    assert said["measures"]["auc"] is None
    assert said["measures"]["measures"] == "not private"
    assert (result["status"], result["epsilon"]) == ("exploration only", None)
    assert (result["randomness"], result["public_size"]) == ("seed", None)
    assert result["claim"]["by"].startswith("paper 003")
    assert result["claim"]["epsilon"] != certified["epsilon"]
    assert result["claim"]["conditions"]


def test_a_batch_size_that_is_left_out_follows_from_the_public_number(capsys):
    small = "train --network linear --epochs 1 --device cpu --adjacency add-remove"
    assert parsed(capsys, *small.split(), "--public-size", "100")["train"]["steps_planned"] == 4


def test_the_words_say_the_same(capsys):
    text = said(capsys, *SMALL.split())
    assert "digits (raw), linear, isotropic noise: 1,437 records, 1 run\n" in text
    assert "accuracy on test records: 0." in text
    assert "under zero-out is spent after 12 of 12 steps by one model if it is kept" in text
    assert "The noise comes from a seed" in text
    assert "status: exploration only" in text
    assert " at δ = 1e-5 under zero-out" in text
    assert "claim, of the whole run as planned: ε = " in text
    assert "under replace-one (paper 003, equations (3) and (4)" in text


def test_without_privacy_no_epsilon_is_spoken_of(capsys):
    text = said(capsys, *SMALL.split(), "--sigma", "0", "--no-clipping")
    assert "No ε is certified for 12 of 12 steps: Nothing is clipped." in text
    assert "status: not private" in text
    assert "claim" not in text


def test_paper_004s_noise_is_a_claim_beside_its_sound_form(capsys):
    published = parsed(capsys, *SMALL.split(), "--noise", "published-004", "--epsilon", "2")
    assert published["train"]["epsilon"] is None
    assert published["train"]["status"] == "claim not supported"
    assert published["train"]["claim"]["epsilon"] == pytest.approx(2.0, rel=1e-6)
    text = said(capsys, *SMALL.split(), "--noise", "published-004", "--epsilon", "2")
    conditions = [line for line in text.splitlines() if line.startswith("condition ")]
    assert conditions
    assert len(set(conditions)) == len(conditions)  # each is told once
    sound = parsed(capsys, *SMALL.split(), "--noise", "scaled", "--epsilon", "2")
    assert 1.99 < sound["train"]["certified"]["epsilon"] <= 2.0
    assert sound["train"]["certified"]["status"] == "proved"
    assert sound["train"]["claim"]["epsilon"] is None


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


def test_the_cost_of_several_models_is_that_of_all_of_them(capsys, tmp_path):
    line = [*SMALL.split(), "--runs", "3", "--output", str(tmp_path)]
    one = parsed(capsys, *line)["train"]
    assert np.load(tmp_path / "weights.npz")["0.weight"].shape[0] == 1
    assert one["epsilon"] <= 3.0
    three = parsed(capsys, *line, "--models", "3")["train"]
    assert np.load(tmp_path / "weights.npz")["0.weight"].shape[0] == 3
    run = TrainingPlan(three["sigma"], RECORDS, 256, 36, 1e-5)
    assert three["epsilon"] == pytest.approx(spent(run, "pld").epsilon, rel=1e-6)
    assert three["epsilon"] > 4.0
    assert "by 3 models together" in said(capsys, *line, "--models", "3")
    assert "models" in refused(capsys, *line, "--models", "4")


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


@pytest.mark.parametrize("settings", ["[" * 200_000, "[]", '{"unfinished": "../state"}'])
def test_settings_from_anyone_are_refused_in_one_sentence(settings, capsys, tmp_path):
    (tmp_path / "settings.json").write_text(settings, "utf-8")
    assert "was stopped here" in refused(capsys, "train", "--resume", "--output", str(tmp_path))


def test_a_state_that_does_not_fit_is_refused(capsys, tmp_path, private_cache, monkeypatch):
    output = tmp_path / "run"
    resume = ["train", "--resume", "--output", str(output)]
    assert "was stopped here" in refused(capsys, *resume)
    assert "output" in refused(capsys, "train", "--resume")
    assert "epochs is given" in refused(capsys, *resume, "--epochs", "4")
    output.mkdir()
    for text in ("nothing", "[]", '{"unfinished": "../../secret"}', '{"unfinished": 3}'):
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


@pytest.mark.slow("runs whole commands, which train")
def test_beside_it_are_no_privacy_and_constant_noise_at_the_same_epsilon(capsys):
    line = f"{SMALL} --epsilon 3 --decay 0.8 --runs 3 --compare"
    beside = parsed(capsys, *line.split())["beside"]
    assert [each["series"] for each in beside] == ["private", "nonprivate", "clipped", "constant"]
    own, free, clipped, plain = beside
    assert (clipped["epsilon"], clipped["sigma"], clipped["status"]) == (None, None, "not private")
    assert own["accuracy_lost_to_clipping"] == clipped["accuracy_lost"]
    parts = own["accuracy_lost_to_clipping"] + own["accuracy_lost_to_noise"]
    assert parts == pytest.approx(own["accuracy_lost"])
    for each, decay in ((own, 0.8), (plain, 1.0)):
        run = TrainingPlan(each["sigma"], RECORDS, 256, 12, 1e-5, decay=decay, decay_every=6)
        assert each["epsilon"] == pytest.approx(spent(run, "pld").epsilon, rel=1e-6)
        assert 2.99 < each["epsilon"] <= 3.0
        assert (each["delta"], each["adjacency"]) == (1e-5, "zero-out")
        assert each["accountant"] == "PLD"
        lost = free["accuracy"]["mean"] - each["accuracy"]["mean"]
        assert each["accuracy_lost"] == pytest.approx(lost)
    assert own["sigma"] > plain["sigma"]
    assert (free["epsilon"], free["sigma"], free["accuracy_lost"]) == (None, None, None)
    alone = parsed(capsys, *line.replace("--compare", "").split())["measures"]
    assert alone["accuracy"] == own["accuracy"]
    text = said(capsys, *line.split(), "--budget", "2.5")
    assert "\nwithout privacy   accuracy 0." in text
    assert "clipping only" in text
    assert "(δ = 1e-5, zero-out, PLD)" in text


@pytest.mark.parametrize("line", ["--sigma 2", "--sigma 0", "--no-clipping"])
def test_only_what_has_a_target_is_compared(line, capsys):
    assert "target epsilon" in refused(capsys, *SMALL.split(), *line.split(), "--compare")


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
        ("--dataset cohort --set preparation=none", "preparation"),
        ("--features deep", "features"),
        ("--noise round", "noise"),
        ("--noise scaled --weights public", "public"),
        ("--adjacency add-remove", "public size"),
        ("--public-size 900", "public size"),
        ("--adjacency add-remove --public-size 900 --sampling fixed", "sampling under add-remove"),
        ("--output no/such/folder", "output"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(line, word, capsys):
    assert word in refused(capsys, *SMALL.split(), *line.split())


def test_an_assumption_of_the_users_is_not_called_met(capsys):
    line = f"{SMALL} --noise scaled --weights public --public 100"
    text = said(capsys, *line.split())
    assert (
        "condition assumed, on your word: the examples set aside as public are nobody's secret"
    ) in text
    assert "condition met: the examples" not in text
    conditions = parsed(capsys, *line.split())["train"]["conditions"]
    assert [each["condition"] for each in conditions if each["assumed"]] == [
        "the examples set aside as public are nobody's secret"
    ]


def test_settings_chosen_on_the_very_records_are_named_beside_epsilon(capsys, monkeypatch):
    line = f"{SMALL} --epsilon 2".split()
    assert "chosen on records of this very set" not in said(capsys, *line)
    assert parsed(capsys, *line)["train"]["settings_chosen"] == ""
    own = TrainingConfig(network="linear", epochs=2, batch=256)
    monkeypatch.setitem(tuned_configs.STUDIES, "small", TrainingStudy(config=own))
    spent_at, chosen_at, *_ = [
        place
        for place, each in enumerate(said(capsys, *line).splitlines())
        if each.startswith("ε = ") or each == tuned_configs.CHOSEN
    ]
    assert chosen_at == spent_at + 1
    assert parsed(capsys, *line)["train"]["settings_chosen"] == tuned_configs.CHOSEN
