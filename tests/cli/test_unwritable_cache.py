"""A cache that cannot be written: every command answers all the same, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpcore.datasets import cache
from tests.cli.commands import Captured, parsed, said

pytestmark = pytest.mark.parametrize("home", [True, False], ids=["named", "homeless"])


@pytest.fixture(autouse=True)
def unwritable(home: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder that nobody, root included, can make."""
    blocked = tmp_path / "a file" / "folder"
    blocked.parent.write_text("in the way")
    for name in (cache.VARIABLE, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(cache.VARIABLE if home else "HOME", str(blocked))
    monkeypatch.setattr(cache, "_looked", None)
    return blocked


def test_a_training_is_written(unwritable: Path, capsys: Captured, tmp_path: Path) -> None:
    run = tmp_path / "run"
    line = "train --network linear --epochs 1 --batch-size 256 --device cpu --output"
    said(capsys, *line.split(), str(run))
    assert {path.name for path in run.iterdir()} == {
        "measures.csv",
        "measures.json",
        "settings.json",
        "weights.npz",
    }
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
def test_a_command_answers(unwritable: Path, capsys: Captured, line: str, tmp_path: Path) -> None:
    assert parsed(capsys, *line.split())
    assert list(tmp_path.iterdir()) == [unwritable.parent]
