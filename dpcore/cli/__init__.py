"""The command line: every answer of the pages, as text, JSON or files.

Exit codes: 0 for an answer, also when a theorem's condition is unmet and the proved answer is
empty; 1 where `verify` refutes something that is proved; 2 for malformed input, with one sentence
on standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

from dpcore import questions, settings
from dpcore.cli.options import Parser
from dpcore.errors import InvalidInput, naming_extras

WRITTEN = {
    "sigma": "how much noise for (ε, δ), by one mechanism or by all",
    "epsilon": "what one release costs, or a whole training run",
    "delta": "the δ of a release at an ε",
    "account": "what trainings, releases and models spend together, what is left, and when",
    "ledger": "budgets of data sets over years: paid before noise is drawn, with a history",
    "plan": "which σ, steps, epochs, batch, δ or clipping norm keeps an ε",
    "stand-in": "made-up records by the description of a table alone, at no cost",
    "twin": "noisy counts of one's own table, paid for, and made-up records drawn from them",
    "publish": "counts, means and quartiles of one's own table with noise, paid for, to publish",
    "release": "a private model of one's own table, paid for, with card and certificate",
    "certificate": "whether a certificate holds, without data, and which files of its were altered",
    "predict": "what a released model says of each record, and between what noise alone puts it",
    "split": "how to divide a budget over releases, equally or by weight",
    "risk": "what an attacker can find out about one person",
    "outputs": "whether outputs from elsewhere refute the ε that is claimed of them",
    "datasets": "which data there are, with public bounds and traps",
    "methods": "whether the claim of a method or a system holds",
    "report": "one private model as a report of two pages, with the TRIPOD+AI checklist",
    "train": "a network's private training",
    "reproduce": "a paper's figures and tables, with verdicts",
}
"""What each answers; the module of that name adds its options and answers."""
MODULES = dict.fromkeys(("sigma", "epsilon", "delta"), "gaussian") | {"stand-in": "stand_in"}
"""Modules that are named otherwise than their command."""


def commands() -> dict[str, str]:
    """What each command answers: those of questions, and those with a module of their own."""
    asked = {questions.command_of(name): questions.asks(name) for name in questions.names()}
    return {**asked, **WRITTEN}


def load(command: str) -> Any:
    """Load what adds a command's options and answers it."""
    asked = {questions.command_of(name): name for name in questions.names()}
    if command in asked:
        return import_module("dpcore.cli.asked").command(asked[command])
    return import_module(f"dpcore.cli.{MODULES.get(command, command)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    try:
        settings.check()
        with naming_extras():
            options = _parser().parse_args(arguments)
            status = options.run(options) or 0
        sys.stdout.flush()
    except InvalidInput as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader, such as `head`, has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return int(status)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="dpcore", description=__doc__.split("\n", maxsplit=1)[0])
    subparsers = parser.add_subparsers(dest="command", required=True, parser_class=Parser)
    for name, help_text in commands().items():
        subparsers.add_parser(name, help=help_text, load=partial(load, name))
    return parser
