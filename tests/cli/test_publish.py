"""`publish`: a private table in a folder, paid once, and checked without its records."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

from dpcore.cli import main
from dpcore.errors import InvalidInput
from dpcore.release import files
from tests.release.test_release import COLUMNS, data, ledger_with


def test_a_table_by_command_is_paid_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ledger = ledger_with("l.db")
    Path("t.csv").write_bytes(data(100))
    Path("columns.txt").write_text(COLUMNS)
    command = shlex.split(
        "publish --table t.csv --columns columns.txt --ledger l.db --data-set clinic --actor B "
        "--epsilon 2 --delta 1e-6 --by ill --only age,sex --accept-clipping --output out"
    )
    assert main(command) == 0
    assert main(["certificate", "check", "out", "--ledger", "l.db"]) == 0
    said = capsys.readouterr().out
    assert "table.html: unchanged" in said
    assert "follow from released.json" in said
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    printed = subprocess.run(
        [sys.executable, "out/intervals.py"], capture_output=True, check=True, env=here
    )
    table = Path("out/table.csv").read_bytes()
    assert printed.stdout == table
    assert b"bmi" not in table
    Path("out/table.csv").write_bytes(table.replace(b"age", b"wage"))
    assert main(["certificate", "check", "out"]) == 2
    assert main(command) == 2  # the folder is there: nothing is paid
    assert main([*command[:-1], "other", "--by", "town"]) == 2
    assert len(ledger.history("clinic")) == 3

    def full(*_):
        raise InvalidInput("The disk is full.")

    monkeypatch.setattr(files, "write", full)
    capsys.readouterr()
    assert main([*command[:-1], "other"]) == 2
    assert "Entry 4 of the ledger stays paid, without a table." in capsys.readouterr().err


def test_curves_of_survival_by_command_are_paid_and_checked(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ledger_with("l.db")
    Path("t.csv").write_bytes(data(100))
    Path("columns.txt").write_text(COLUMNS)
    command = shlex.split(
        "publish --table t.csv --columns columns.txt --ledger l.db --data-set clinic --actor B "
        "--epsilon 2 --delta 1e-6 --time age --event ill --by sex --accept-clipping --output out"
    )
    assert main(command) == 0
    assert main(["certificate", "check", "out", "--ledger", "l.db"]) == 0
    assert "follow from released.json" in capsys.readouterr().out
    assert b"event-free,at 90" in Path("out/table.csv").read_bytes()
    assert main([*command[:-1], "other", "--only", "bmi"]) == 2
    assert "must be left out with time and event" in capsys.readouterr().err
