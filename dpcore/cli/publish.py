"""`publish`: pay for a private table of one's own records, and write what may leave."""

from __future__ import annotations

import argparse
from functools import partial

from dpcore.cli import paying
from dpcore.cli.asked import add_own, typed
from dpcore.cli.options import Parser
from dpcore.questions import register

NEEDED = {
    **paying.NEEDED,
    "actor": "who has it made",
    "epsilon": "ε of the table, of all its numbers together",
    "delta": "δ of the table",
    "output": "new folder for the table, as CSV, HTML and JSON, and its certificate",
}
JSON_HELP = "print the certificate as JSON"


def add(command: Parser) -> None:
    paying.add_needed(command, NEEDED)
    add_own(command, register.named("describe"))
    add_own(command, register.named("survival"), but=("by",))


def run(options: argparse.Namespace) -> None:
    from dpcore.release import summary

    of_columns, of_times = (
        typed(options, register.named(name)) for name in ("describe", "survival")
    )
    plan_of = partial(summary.summary_plan, **(of_columns | of_times))
    paying.pay_and_write(options, "table", summary, plan_of)
