"""Every variable DPCORE_* is declared in one place, and checked before anything relies on it."""

from __future__ import annotations

import ast
import asyncio
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dpcore import settings
from dpcore.cli import main
from dpcore.errors import InvalidInput
from pages.server import sessions

ROOT = Path(__file__).resolve().parents[1]
WRONG = [
    ("DPCORE_FORGET_SECONDS", "20s"),
    ("DPCORE_FORGET_SECONDS", "-1"),
    ("DPCORE_WATCH_SECONDS", "nan"),
    ("DPCORE_SCHEDULER", "tpc://127.0.0.1:8786"),
    ("DPCORE_SCHEDULER", "tcp://127.0.0.1"),
    ("DPCORE_ROLES", "/nowhere/roles.toml"),
    ("DPCORE_LEDGER", "/nowhere/ledger.db"),
    ("DPCORE_DATA", "/nowhere"),
    ("DPCORE_CACHE", __file__),
]


@pytest.fixture(autouse=True)
def none_set(monkeypatch):
    for setting in settings.SETTINGS:
        monkeypatch.delenv(setting.name, raising=False)


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_value_is_refused_by_its_name(name, value, monkeypatch):
    settings.check(of_server=True)
    monkeypatch.setenv(name, value)
    with pytest.raises(InvalidInput) as refusal:
        settings.check(of_server=True)
    assert str(refusal.value).startswith(f"{name} is ")
    assert value in str(refusal.value)


def test_right_values_are_taken(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    for name, values in {
        "DPCORE_FORGET_SECONDS": ["", "20", "7.5"],
        "DPCORE_SCHEDULER": ["tcp://127.0.0.1:8786", "tls://clinic.example:8786", "[::1]:8786"],
        "DPCORE_LEDGER": [str(tmp_path / "file"), "sqlite:///x.db", "postgresql+psycopg://a:b@c/d"],
        "DPCORE_DATA": [str(tmp_path)],
        "DPCORE_CACHE": [str(tmp_path), str(tmp_path / "new")],
        "DPCORE_ROLES": [str(tmp_path / "file")],
    }.items():
        for value in values:
            monkeypatch.setenv(name, value)
            settings.check(of_server=True)
    monkeypatch.delenv("DPCORE_FORGET_SECONDS")
    assert (settings.FORGET_SECONDS.seconds, settings.WATCH_SECONDS.seconds) == (20.0, 30.0)


def test_a_mistyped_name_is_refused_too(monkeypatch):
    monkeypatch.setenv("DPCORE_FORGET_SECOND", "20")
    with pytest.raises(InvalidInput, match=r"FORGET_SECOND is set.*did you mean DPCORE_FORGET_SEC"):
        settings.check()


def test_the_password_in_a_url_is_not_repeated(monkeypatch):
    monkeypatch.setenv("DPCORE_LEDGER", "postgres://a:secret@here/ledger")
    with pytest.raises(InvalidInput, match="DPCORE_LEDGER is 'postgres://") as refusal:
        settings.check(of_server=True)
    assert "secret" not in str(refusal.value)


def test_a_command_checks_what_commands_read(monkeypatch, capsys):
    monkeypatch.setenv("DPCORE_LEDGER", "/not/made/yet.db")
    command = ["delta", "--epsilon", "1", "--sigma", "4"]
    assert main(command) == 0
    monkeypatch.setenv("DPCORE_SCHEDULER", "here")
    assert main(command) == 2
    assert capsys.readouterr().err.startswith("DPCORE_SCHEDULER is 'here'")


@pytest.mark.slow("trains models")
@pytest.mark.parametrize(
    ("name", "value"), [("DPCORE_FORGET_SECONDS", "20s"), ("DPCORE_ROLES", __file__)]
)
def test_the_server_does_not_start(name, value):
    done = subprocess.run(
        [sys.executable, "-c", "import app"],
        cwd=ROOT,
        env=os.environ | {name: value},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stderr.splitlines()
    assert done.returncode == 1
    assert len(lines) == 1
    assert name in lines[0]


@pytest.mark.slow("trains models")
def test_no_other_module_names_a_variable():
    sources = [ROOT / "app.py", *ROOT.glob("dpcore/**/*.py"), *ROOT.glob("pages/**/*.py")]
    naming = {
        path.relative_to(ROOT).as_posix()
        for path in sources
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and re.fullmatch("DPCORE_[A-Z_]+", str(node.value))
    }
    assert naming == {"dpcore/settings.py"}


def test_the_documentation_lists_every_variable_with_its_usual_value():
    rows = re.findall(
        r"^\| `(DPCORE_\w+)` \|.*\| (.*) \|$", (ROOT / "docs/serve.md").read_text("utf-8"), re.M
    )
    assert [name for name, _ in rows] == [setting.name for setting in settings.SETTINGS]
    usual = {setting.name: setting.usual for setting in settings.SETTINGS if setting.usual}
    assert {name: without for name, without in rows if name in usual} == usual


def test_a_look_that_fails_does_not_end_the_looking(monkeypatch):
    looks: list[float] = []

    def fail(_, patience):
        looks.append(patience)
        raise RuntimeError

    async def watch():
        task = asyncio.create_task(sessions._watch())
        while len(looks) < 3 and not task.done():
            await asyncio.sleep(0.01)
        task.cancel()

    monkeypatch.setattr(sessions, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(sessions, "_look", fail)
    # Of its own thread: a browser test may have left a loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, asyncio.wait_for(watch(), 10.0)).result()
    assert looks[:3] == [20.0] * 3
