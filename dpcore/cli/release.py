"""`release`: pay for a private model of one's own table, train it, and write what may leave."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dpcore.cli.options import Parser, optional_whole
from dpcore.cli.output import print_json, writing
from dpcore.cli.tables import source, text_file
from dpcore.datasets import OWN
from dpcore.errors import InvalidInput, number

NEEDED = {
    "table": "the records (CSV)",
    "columns": "text file that says what the columns may hold, one a line",
    "ledger": "the ledger to pay from: a file, or a URL of SQLite or PostgreSQL",
    "data-set": "name of the data set in the ledger",
    "actor": "who releases",
    "epsilon": "ε of the release",
    "delta": "δ of the release",
    "name": "of the model",
    "description": "of the model, in a sentence",
    "curator": "who answers for the data",
    "intended-use": "what the model is for",
    "region": "whose people the data describe",
    "output": "new folder for the model, its card and its certificate",
}
JSON_HELP = "print the certificate as JSON"


def add(command: Parser) -> None:
    """Add the options."""
    for name, told in NEEDED.items():
        command.add_argument(f"--{name}", required=True, help=told)
    command.add_argument("--sector", default="Healthcare", help="default: Healthcare")
    command.add_argument("--loss", default="logistic", help="logistic (usual) or huber")
    command.add_argument("--features", default="plain", help="plain (usual) or additive")
    command.add_argument("--steps", help="how many noisy sums; default: by a rule")


def run(options: argparse.Namespace) -> None:
    """Answer."""
    # Before anything is paid: what is slow to import, or may be missing.
    import onnx  # noqa: F401

    from dpcore.release.certificate import About
    from dpcore.release.ledger import Ledger
    from dpcore.release.release import release_model

    columns = text_file("columns", options.columns)
    options.dataset = OWN
    table = source(options).table
    assert table is not None  # held by `source`
    about = About(
        options.name,
        options.description,
        options.curator,
        options.intended_use,
        options.region,
        options.sector,
    )
    budget = [number(name, getattr(options, name)) for name in ("epsilon", "delta")]
    steps = optional_whole("steps", options.steps, at_least=1, at_most=10_000)
    folder = Path(options.output)
    if folder.exists():
        raise InvalidInput(f"output is {options.output}, but it must be a folder that is new.")
    ledger = Ledger.open(options.ledger, must_exist=True)
    try:
        with writing(options.output, "a folder that can be made"):
            folder.mkdir()
        released = release_model(
            table,
            columns,
            about=about,
            ledger=ledger,
            data_set=options.data_set,
            actor=options.actor,
            epsilon=budget[0],
            delta=budget[1],
            loss=options.loss,
            features=options.features,
            steps=steps,
        )
    except BaseException:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
        raise
    finally:
        ledger.close()
    for name, content in released.files().items():
        (folder / name).write_bytes(content)
    if options.json:
        print_json(released.certificate.document)
        return
    print(released.certificate.document["claim"])
    print(f"entry {released.receipt.entry}, chain head {released.receipt.chain_head}")
    print(f"{released.receipt.left.words()}")
    print(f"The model was written to {folder}", file=sys.stderr)
