"""The command line: every answer of the pages, as text, JSON or files.

Exit codes: 0 for an answer, also when a theorem's condition is unmet and the proved answer is
empty; 2 for malformed input, with one sentence on standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from dpcore import settings
from dpcore.cli.options import Parser
from dpcore.errors import InvalidInput, naming_extras

COMMANDS = {
    "sigma": "how much noise for (ε, δ), by one mechanism or by all",
    "epsilon": "what one release costs, or a whole training run",
    "delta": "the δ of a release at an ε",
    "account": "what trainings, releases and models spend together, what is left, and when",
    "ledger": "budgets of data sets over years: paid before noise is drawn, with a history",
    "plan": "which σ, steps, epochs, batch, δ or clipping norm keeps an ε",
    "stand-in": "made-up records by the description of a table alone, at no cost",
    "twin": "noisy counts of one's own table, paid for, and made-up records drawn from them",
    "release": "a private model of one's own table, paid for, with card and certificate",
    "certificate": "whether a certificate holds, without data, and which files of its were altered",
    "predict": "what a released model says of each record, and between what noise alone puts it",
    "split": "how to divide a budget over releases, equally or by weight",
    "risk": "what an attacker can find out about one person",
    "datasets": "which data there are, with public bounds and traps",
    "methods": "whether the claim of a method or a system holds",
    "sweep": "accuracy against ε, of every method and run",
    "decision-curve": "what deciding by private models is worth, at each threshold",
    "groups": "what deciding by private models means to groups of people",
    "calibration": "whether the risks of private models are right",
    "risk-curves": "what private models say about each column, also corrected by hand",
    "report": "one private model as a report of two pages, with the TRIPOD+AI checklist",
    "model": "a model of the survey: accuracy, or what it is judged by, against ε",
    "audit": "whether a method's promise survives an attack: a lower bound on its ε",
    "train": "a network's private training",
    "reproduce": "a paper's figures and tables, with verdicts",
}
"""What each answers; the module of that name adds its options and answers."""
MODULES = dict.fromkeys(("sigma", "epsilon", "delta"), "gaussian") | {
    "decision-curve": "decision_curve",
    "risk-curves": "risk_curves",
    "stand-in": "stand_in",
}
"""Modules that are named otherwise than their command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    try:
        settings.check()
        with naming_extras():
            options = _parser().parse_args(arguments)
            options.run(options)
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


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="dpcore", description=__doc__.split("\n", maxsplit=1)[0])
    commands = parser.add_subparsers(dest="command", required=True, parser_class=Parser)
    for name, help_text in COMMANDS.items():
        commands.add_parser(name, help=help_text, module=module(name))
    return parser


def module(command: str) -> str:
    """Name the module of a command."""
    return f"dpcore.cli.{MODULES.get(command, command)}"
