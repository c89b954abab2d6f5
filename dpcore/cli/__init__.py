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
    "sigma": "sigma of a Gaussian mechanism",
    "epsilon": "epsilon of a Gaussian mechanism, or of a whole training run",
    "delta": "delta of a Gaussian mechanism",
    "account": "what trainings and releases spend together, and what is left of a budget",
    "ledger": "budgets of data sets: spend before noise is drawn, history, verify",
    "plan": "one setting of a run, solved for a target ε",
    "stand-in": "made-up records by the description of a table alone, at no cost",
    "twin": "noisy counts of one's own table, paid for, and made-up records drawn from them",
    "release": "a private model of one's own table, paid for, with its certificate",
    "certificate": "check a released model's certificate, without data",
    "predict": "what a released model says of the records in a file",
    "split": "noise for releases that share one (ε, δ)",
    "risk": "what an attacker can find out about one person",
    "datasets": "the catalogue, with public bounds and traps",
    "methods": "the registers of methods and systems: claim, proof and status",
    "sweep": "train every (method, ε, run) and tabulate",
    "decision-curve": "what deciding by private models is worth, against the threshold",
    "groups": "what deciding by private models means to groups of people",
    "calibration": "whether the risks of private models are right",
    "risk-curves": "what private models say about each column",
    "report": "one private model as a report of a page or two, with the TRIPOD+AI checklist",
    "model": "a model of the survey on a table: accuracy, or what it is judged by, against ε",
    "audit": "attack a method's sound edition on neighbours: a lower bound on its ε",
    "train": "train a network privately",
    "reproduce": "a paper's figures and tables, with verdicts",
}
"""What each does; the module of that name adds its options and answers."""
MODULES = dict.fromkeys(("sigma", "epsilon", "delta"), "gaussian") | {
    "decision-curve": "decision_curve",
    "risk-curves": "risk_curves",
    "stand-in": "stand_in",
}
"""Modules that are named otherwise than their command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; ``None`` for those of the process.
    """
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
        commands.add_parser(name, help=help_text, module=f"dpcore.cli.{MODULES.get(name, name)}")
    return parser
