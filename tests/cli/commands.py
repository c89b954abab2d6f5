"""Running a command of the command line, and looking at what it says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dpcore.cli import main

Captured = pytest.CaptureFixture[str]


def said(capsys: Captured, *arguments: str) -> str:
    """Standard output of a command that must succeed."""
    assert main(arguments) == 0
    return capsys.readouterr().out


def parsed(capsys: Captured, *arguments: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(said(capsys, *arguments, "--json"), parse_constant=refuse)


def refused(capsys: Captured, *arguments: str) -> str:
    """The one sentence of a command that must fail."""
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    sentence = captured.err
    assert sentence.endswith(".\n")
    assert sentence.count("\n") == 1
    assert "Traceback" not in sentence
    return sentence
