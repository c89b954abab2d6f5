"""A cache that cannot be written: every command answers all the same, and leaves nothing behind."""

import json

import pytest

from dpcore.cli import main
from dpcore.datasets import cache
from dpcore.settings import CACHE
from tests.cli.commands import parsed, said, stop_after

FILES = {"measures.csv", "measures.json", "settings.json", "weights.npz"}

pytestmark = pytest.mark.parametrize("home", [True, False], ids=["named", "homeless"])


@pytest.fixture(autouse=True)
def unwritable(home, monkeypatch, tmp_path):
    """A folder that nobody, root included, can make."""
    blocked = tmp_path / "a file" / "folder"
    blocked.parent.write_text("in the way")
    for name in (CACHE.name, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(CACHE.name if home else "HOME", str(blocked))
    monkeypatch.setattr(cache, "_last_check", None)
    return blocked


LINE = "train --network linear --features scattering --epochs 2 --batch-size 256 --device cpu"


@pytest.mark.slow("runs whole commands, which train")
def test_a_training_whose_features_are_kept_elsewhere_is_written(unwritable, capsys, tmp_path):
    run = tmp_path / "run"
    said(capsys, *LINE.split(), "--output", str(run))
    assert {path.name for path in run.iterdir()} == FILES
    assert not unwritable.exists()


@pytest.mark.slow("runs whole commands, which train")
def test_a_stopped_training_is_written_and_not_promised_to_go_on(
    unwritable, capsys, tmp_path, monkeypatch
):
    run = tmp_path / "run"
    stop_after(monkeypatch, 6)
    assert main([*LINE.split(), "--output", str(run)]) == 130
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    assert "Go on with" not in captured.err
    assert {path.name for path in run.iterdir()} == FILES
    assert json.loads((run / "settings.json").read_text()).get("unfinished") is None
    assert not unwritable.exists()


@pytest.mark.parametrize(
    "line",
    [
        "sweep --methods nonprivate,opera --epsilon 1 --runs 2",
        "model --model decision-tree --epsilon 1 --runs 2",
        "datasets",
        "plan --solve sigma --epsilon 1 --delta 1e-5 --records 1000 --batch 10 --epochs 2",
    ],
)
def test_a_command_answers(unwritable, capsys, line, tmp_path):
    assert parsed(capsys, *line.split())
    assert list(tmp_path.iterdir()) == [unwritable.parent]
