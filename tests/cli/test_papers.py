"""A paper's figures on the command line."""

import pytest

from tests.cli.commands import refused, said

BAD: list[tuple[str, tuple[str, ...]]] = [
    ("reproduce paper-001 --figure 2 --output x", ("paper", "'paper-001'", "paper-000")),
    ("reproduce paper-000 --output x", ("figure", "table", "exactly one")),
    ("reproduce paper-000 --figure 2 --table 1 --output x", ("exactly one",)),
    ("reproduce paper-000 --figure 7 --output x", ("figure", "7", "1, 2, 3, 4, 5 or 6")),
    ("reproduce paper-002 --figure 3 --output x", ("figure", "3", "1 or 2")),
    ("reproduce paper-004 --figure 3 --output x --epochs 0", ("epochs", "0")),
    ("reproduce paper-004 --figure 3 --output x --runs many", ("runs", "'many'")),
    ("reproduce paper-000 --table 2 --output x", ("table", "2")),
    ("reproduce paper-000 --figure 2", ("--output",)),
    ("reproduce paper-000 --figure 2 --output x --datasets nowhere", ("dataset", "'nowhere'")),
    ("reproduce paper-000 --figure 2 --output x --datasets ,", ("datasets", "empty")),
]


@pytest.mark.parametrize(("line", "words"), BAD, ids=[line or "nothing" for line, _ in BAD])
def test_bad_input_is_refused_in_one_sentence(line, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sentence = refused(capsys, *line.split())
    assert all(word in sentence for word in words), sentence
    assert list(tmp_path.iterdir()) == []  # nothing is written, no folder made


def test_what_cannot_be_checked_is_printed_with_its_reason(capsys, tmp_path):
    printed = said(capsys, "reproduce", "paper-004", "--table", "2", "--output", str(tmp_path))
    assert printed.startswith("[could not be checked]")
    assert "no result" in printed
    assert (tmp_path / "paper-004-table-2.json").exists()
