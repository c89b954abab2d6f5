"""`outputs`: the trial of a claim by a file of outputs that were drawn elsewhere."""

from __future__ import annotations

import argparse

from dpcore.audit.claim import read_worlds, try_outputs
from dpcore.cli.options import Parser, or_usual
from dpcore.cli.output import print_json
from dpcore.cli.tables import text_file
from dpcore.errors import number
from dpcore.questions.outputs.words import sentence


def add(command: Parser) -> None:
    command.add_argument(
        "--file",
        required=True,
        help="CSV of the columns world, of two values, and score, in the order drawn",
    )
    command.add_argument("--epsilon", required=True, help="that is claimed")
    command.add_argument("--delta", help="that it is claimed at; default: 0")
    command.add_argument(
        "--normal", action="store_true", help="scores are normal with one variance"
    )
    command.add_argument("--confidence", help="default: 0.99")


def run(options: argparse.Namespace) -> None:
    claim = number("epsilon", options.epsilon), number("delta", or_usual(options.delta, "0"))
    worlds = read_worlds(text_file("file", options.file))
    confidence = number("confidence", or_usual(options.confidence, "0.99"))
    trial = try_outputs(
        *worlds.values(), claim=claim, is_normal=options.normal, confidence=confidence
    )
    if options.json:
        print_json({"outputs": [trial.row], "worlds": list(worlds), "note": sentence(trial)})
    else:
        print(sentence(trial))
