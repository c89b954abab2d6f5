"""`twin`: pay for noisy counts of one's own table, and write made-up records drawn from them."""

from __future__ import annotations

import argparse

from dpcore.cli import paying
from dpcore.cli.options import Parser

NEEDED = {
    **paying.NEEDED,
    "actor": "who has it made",
    "epsilon": "ε of the twin",
    "delta": "δ of the twin",
    "output": "new folder for the twin, its description and its card",
}
JSON_HELP = "print the card as JSON"


def add(command: Parser) -> None:
    paying.add_needed(command, NEEDED)


def run(options: argparse.Namespace) -> None:
    from dpcore.release.twin import twin

    paying.pay_and_write(options, "twin", twin, twin.twin_plan)
