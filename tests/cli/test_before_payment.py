"""What the owner of a table is told before a release, a twin or a table is paid, and asked."""

import io
from pathlib import Path

import pytest

from dpcore.cli import main, publish, release, twin
from dpcore.release.ledger import Ledger
from dpcore.release.table import read_for_release
from tests.cli.commands import refused

COLUMNS = """person: one row each
number of persons: public
radius: 5 to 40 mm; unknown: blank
texture: 5 to 45
predict ill: one of no, yes
"""
LOST = [f"{value},{value / 100},{'yes' if value % 2 else 'no'}\n" for value in range(1_700, 1_799)]
"""The decimals of the first column were lost: 17.99 has become 1799."""
WARNED, COUNTED = "Most values of radius are outside", "99 of radius"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "columns.txt").write_text(COLUMNS)
    (tmp_path / "table.csv").write_text("radius,texture,ill\n" + "".join(LOST))
    Ledger.open("ledger.db").create(
        "c", person_unit="one patient", adjacency="zero-out", epsilon=3, delta=0.1, owner="A"
    )
    return tmp_path


def options(command, **more):
    needed = {"release": release, "twin": twin, "publish": publish}[command].NEEDED
    given = dict.fromkeys(needed, "A word")
    given |= {"table": "table.csv", "columns": "columns.txt", "ledger": "ledger.db"}
    given |= {"data-set": "c", "epsilon": "1", "delta": "1e-6", "output": "out"} | more
    return [command, *(word for name, value in given.items() for word in (f"--{name}", value))]


def paid():
    return sum(entry.kind == "spent" for entry in Ledger.open("ledger.db").history("c"))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["release", "twin", "publish"])
def test_without_a_terminal_many_clipped_values_are_refused_before_the_payment(command, capsys):
    sentence = refused(capsys, *options(command))
    assert all(word in sentence for word in (WARNED, COUNTED, "not private", "--accept-clipping"))
    assert (paid(), Path("out").exists()) == (0, False)


@pytest.mark.slow("runs whole commands, which train")
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["release", "twin", "publish"])
def test_it_goes_on_where_it_is_accepted_and_no_file_tells(command, capsys):
    assert main([*options(command), "--accept-clipping", "--json"]) == 0
    captured = capsys.readouterr()
    assert WARNED in captured.err
    files = [captured.out, *(path.read_bytes().decode("latin-1") for path in Path("out").iterdir())]
    assert not any(word in text for text in files for word in (COUNTED, "accept", "outside the"))
    assert paid() == 1


@pytest.mark.slow("runs whole commands, which train")
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("answer", "code"), [("yes\n", 0), ("no\n", 2), ("", 2)])
def test_on_a_terminal_it_is_asked(answer, code, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(options("release")) == code
    assert WARNED in capsys.readouterr().err
    assert paid() == (code == 0)


@pytest.mark.slow("releases models and twins")
@pytest.mark.parametrize(
    ("rows", "delta", "told"),
    [
        ("17.99,10,yes\n" * 25 + "41,10,no\n", "1e-6", "1 of radius"),
        ("17.99,10,yes\n9,9,no\n" * 50, "0.01", "0.01 is at least 1/n"),
    ],
    ids=["one value outside", "a delta of one record"],
)
def test_what_is_told_and_asks_nobody(rows, delta, told, folder, capsys):
    (folder / "table.csv").write_text(f"radius,texture,ill\n{rows}")
    for command in ("release", "twin", "publish"):
        assert main(options(command, delta=delta, output=command)) == 0
        said = capsys.readouterr().err
        assert told in said
        assert "outside the range" not in said


def test_a_gap_is_neither_clipped_nor_counted():
    rows = "radius,texture,ill\n" + ",10,yes\n" * 90 + "17,10,no\n50,10,no\n2,10,yes\n"
    clipping = read_for_release(COLUMNS, rows.encode(), "t.csv").clipping
    ((name, radius),) = clipping.columns
    assert (name, radius.outside, radius.known) == ("radius", 2, 3)
    assert (clipping.mostly, clipping.often) == (("radius",), ())
