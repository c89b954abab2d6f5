"""Everything that `train` writes, attacked as an outsider would who holds the files.

The files of neighbours go through the command itself: a record blanked out, replaced, its class
vanishing with it; added and removed where a public size is given. Nothing but the marked measures
and the weights may differ, and what the weights say beyond the noise is looked for with the attacks
that once worked: the size read off sizes and steps, one seed at two σ, several models at the ε of
one, and a seed called proved. Each fault is planted again and must be found.
"""

import io
import json
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dpcore.cli import main
from dpcore.deep import training as loop
from dpcore.deep.config import TrainingConfig
from dpcore.deep.randomness import SeededRandomness
from dpcore.evaluation.marks import ALL_BLANK
from dpcore.evaluation.training import report as artefacts
from dpcore.evaluation.training.trainer import Trainer

PEOPLE, FEATURES = 60, 3
STRICT = 1e-9


def table(kind="as it was"):
    """Sixty people; the last is the only one of her class, and twice as far out as anyone."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(PEOPLE + 1, FEATURES)).astype(np.float32)
    labels = np.arange(PEOPLE + 1) % 2
    features[PEOPLE - 1], labels[PEOPLE - 1] = 2.0 * np.abs(features).max(), 2
    people = np.ones(PEOPLE + 1, dtype=bool)
    people[PEOPLE] = kind == "added"
    if "known" in kind:
        labels[:] = -1
        labels[7] = 1 if kind == "one known" else -1
    elif kind == "blanked":
        labels[PEOPLE - 1] = -1
    elif kind == "replaced, her class gone":
        features[PEOPLE - 1], labels[PEOPLE - 1] = -features[PEOPLE - 1], 0
    elif kind == "removed":
        people[PEOPLE - 1] = False
    return {"train_features": features[people], "train_labels": labels[people]}


def left(place, kind, options):
    """The files that the command leaves of a table."""
    folder = place.with_name(place.name.replace(" ", "_"))
    folder.mkdir(parents=True, exist_ok=True)
    known = np.full(3, -1) if "known" in kind else np.arange(3)
    test = {"test_features": np.eye(3, dtype=np.float32), "test_labels": known}
    np.savez(folder / "people.npz", **table(kind), **test, names=np.array(["no", "yes", "rare"]))
    line = (
        f"train --dataset features_npz --set file={folder / 'people.npz'} --network linear "
        f"--epochs 2 --device cpu --output {folder / 'run'} {options}"
    )
    assert main(line.split()) == 0
    return {path.name: path.read_bytes() for path in (folder / "run").iterdir()}


def said(files):
    """The settings, without the name of the release and the place of the file."""
    found: dict[str, Any] = json.loads(files["settings.json"])
    assert len(found["study"].pop("release")) in (0, 32)
    found["study"].pop("settings")
    return found


def weights(files):
    held = np.load(io.BytesIO(files["weights.npz"]))
    return np.concatenate([held[name].ravel() for name in sorted(held)]).astype(float)


@pytest.mark.parametrize("sampling", ["--batch-size 20", "--sampling none"])
def test_the_last_record_of_all_blanked_ends_no_training(sampling, tmp_path):
    """What is measured on no record has no value, and must not stop what is released."""
    found = [left(tmp_path / kind, kind, sampling) for kind in ("one known", "none known")]
    assert sorted(found[0]) == sorted(found[1])
    assert said(found[0]) == said(found[1])
    notes = [json.loads(files["measures.json"])["note"] for files in found]
    assert notes == ["", ALL_BLANK]


BATCHES = {
    "Poisson": "--batch-size 20",
    "whole": "--sampling none",
    "fixed": "--sampling fixed --adjacency replace-one --batch-size 20",
}
NEIGHBOURS = ("blanked", "replaced, her class gone")


@pytest.mark.parametrize("batches", BATCHES)
@pytest.mark.parametrize("kind", NEIGHBOURS)
def test_neighbours_leave_the_same_settings_and_shapes(kind, batches, tmp_path, capsys):
    found, printed = [], []
    for each in ("as it was", kind):
        found.append(left(tmp_path / each, each, BATCHES[batches]))
        lines = capsys.readouterr().out.splitlines()
        printed.append([line for line in lines if not line.startswith(("accuracy", "auc"))])
    assert sorted(found[0]) == sorted(found[1])
    assert said(found[0]) == said(found[1])
    assert said(found[0])["conclusion"]["status"] == "proved"
    assert printed[0] == printed[1]
    assert weights(found[0]).shape == weights(found[1]).shape
    assert len(found[0]["weights.npz"]) == pytest.approx(len(found[1]["weights.npz"]), abs=64)


@pytest.mark.parametrize("sampling", ["--batch-size 20", "--sampling none"])
@pytest.mark.parametrize("kind", ["added", "removed"])
def test_with_a_public_size_the_actual_one_is_nowhere(kind, sampling, tmp_path, capsys):
    options = f"--adjacency add-remove --public-size {PEOPLE} {sampling}"
    found, printed = [], []
    for each in ("as it was", kind):
        found.append(left(tmp_path / each, each, options))
        printed.append(capsys.readouterr().out.splitlines()[0])
    assert said(found[0]) == said(found[1])
    assert printed[0] == printed[1]
    told = said(found[0])["conclusion"]
    assert (told["records"], told["public_size"]) == (PEOPLE, PEOPLE)
    assert (told["adjacency"], told["status"]) == ("add-remove", "proved")
    actual = len(table(kind)["train_labels"])
    assert actual != PEOPLE
    # A release's name is drawn at random and may hold any two digits.
    names = {json.loads(files["settings.json"])["study"]["release"] for files in found}
    for name in ("settings.json", "measures.json", "measures.csv"):
        text = re.sub("|".join(names), "", found[1][name].decode())
        assert not re.search(rf"(?<![\d.]){actual}(?![\d.])", text)


def test_no_divisor_tells_how_many_there_are(tmp_path):
    """The divisor n against n + 1 scales all the noise: read off a huge σ, and off nothing else."""
    options = (
        "--sampling none --epochs 1 --sigma 1e7 --clip 1 --learning-rate 1 --adjacency add-remove "
        f"--public-size {PEOPLE}"
    )

    def scale(kind):
        runs = [weights(left(tmp_path / f"{kind}{draw}", kind, options)) for draw in range(6)]
        return float(np.std(runs) * PEOPLE / 1e7)

    # Twelve weights in six draws: known to 9 %, and the public size is 1 for both.
    for kind in ("added", "removed"):
        assert 0.6 < scale(kind) < 1.4


@pytest.mark.parametrize("sampling", ["--batch-size 20", "--sampling none"])
def test_a_size_that_is_read_off_the_records_is_found(sampling, tmp_path, monkeypatch):
    monkeypatch.setattr(TrainingConfig, "size", lambda self, records: records)
    silent = SimpleNamespace(readouterr=lambda: SimpleNamespace(out="\n"))
    with pytest.raises(AssertionError):
        test_with_a_public_size_the_actual_one_is_nowhere("added", sampling, tmp_path, silent)


STEP = "--sampling none --epochs 1 --clip 1 --learning-rate 1"
EXACT = f"{STEP} --sigma 0"


def residue(folder, seed):
    """Two files of one training at two σ, and what is left of the noise when they are combined."""
    few, much = (
        weights(left(folder / f"sigma{sigma}", "as it was", f"{STEP} --sigma {sigma} {seed}"))
        for sigma in (10, 20)
    )
    exact = weights(left(folder / "exact", "as it was", EXACT))
    return (2.0 * few - much - exact) * PEOPLE


def test_two_files_of_one_training_do_not_give_the_noise_away(tmp_path):
    apart = residue(tmp_path, "")
    assert stats.kstest(apart / (20.0 * 2.0**0.5), "norm").pvalue > STRICT
    assert np.abs(apart).max() > 10.0
    # From one seed hardly anything is left, and no file says that it is proved.
    assert np.abs(residue(tmp_path / "seeded", "--seed 0")).max() < 0.01
    for sigma in (10, 20):
        folder = tmp_path / "seeded" / f"sigma{sigma}" / "run"
        told = json.loads((folder / "settings.json").read_text("utf-8"))["conclusion"]
        assert (told["status"], told["epsilon"]) == ("exploration only", None)


def test_the_files_do_not_hold_what_the_noise_came_from(tmp_path, monkeypatch):
    """Drawn again from every number that the files hold, no noise takes itself off."""

    def found(folder):
        files = left(folder, "as it was", f"{STEP} --sigma 1000")
        exact = weights(left(folder / "exact", "as it was", EXACT))
        noise = (exact - weights(files)) * PEOPLE / 1000.0
        told = json.loads(files["settings.json"])
        release = int(told["study"]["release"], 16) % 2**63
        streams = {0, told["recipe"]["seed_of_first_weights"], release}
        for seed in tuple(streams):
            config = TrainingConfig(seed=seed % 2**31)
            streams.update(loop._stream([config], place) for place in range(3))
        import torch

        for seed in streams:
            again = SeededRandomness(0, seed).normal(torch.empty(len(noise))).double().numpy()
            for order in (again, np.roll(again, 3), np.roll(again, 9)):
                if abs(np.corrcoef(order, noise)[0, 1]) > 0.99:
                    return True
        return False

    assert not found(tmp_path / "honest")
    # The fault of old: called the system's, drawn from the seed in the file.
    monkeypatch.setattr(
        loop,
        "SystemRandomness",
        lambda device: SeededRandomness(0, loop._stream([TrainingConfig(seed=0)], 2), device),
    )
    assert found(tmp_path / "planted")


def cost_is_said(folder):
    """Whether the ε in the file is at least what as many models as it holds cost together."""
    from dpcore.accounting.events import TrainingPlan
    from dpcore.accounting.planner import spent
    from dpcore.guarantee import Adjacency

    files = left(folder, "as it was", "--batch-size 20 --runs 3 --models 3")
    told = json.loads(files["settings.json"])["conclusion"]
    held = np.load(io.BytesIO(files["weights.npz"]))
    models = len(held[sorted(held)[0]])
    run = TrainingPlan(
        told["sigma"], PEOPLE, 20, 6 * models, 1e-5, told["clip"], adjacency=Adjacency.ZERO_OUT
    )
    return bool(told["epsilon"] >= (spent(run, "pld").epsilon or np.inf) * (1 - 1e-9))


def test_several_models_are_paid_for_together(tmp_path, monkeypatch):
    assert cost_is_said(tmp_path / "honest")
    monkeypatch.setattr(
        Trainer, "released", lambda self, place: self.spent(place, self.steps_done(0))
    )
    assert not cost_is_said(tmp_path / "planted")


def marked(files):
    """Whether what is measured stands apart from what ε speaks of."""
    settings = files["settings.json"].decode()
    apart = all(f'"{word}"' not in settings for word in ("accuracy", "auc", "loss_train"))
    measured = [files[name].decode() for name in ("measures.json", "measures.csv")]
    return apart and all("not private" in each and "epsilon" not in each for each in measured)


def test_measures_are_marked_and_apart(tmp_path, monkeypatch):
    assert marked(left(tmp_path / "honest", "as it was", "--batch-size 20"))
    conclusion: Callable[..., dict[str, Any]] = artefacts.conclusion
    monkeypatch.setattr(
        artefacts,
        "conclusion",
        lambda trainer, place=0: conclusion(trainer, place) | artefacts.measures(trainer, place),
    )
    assert not marked(left(tmp_path / "planted", "as it was", "--batch-size 20"))
