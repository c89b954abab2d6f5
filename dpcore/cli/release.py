"""`release`: pay for a private model of one's own table, train it, and write what may leave."""

from __future__ import annotations

import argparse
import sys

from dpcore.cli.options import Parser, optional_whole
from dpcore.cli.output import print_json, progress, standing
from dpcore.cli.tables import accept_clipping, before_payment, release_table
from dpcore.controls.release import AS_TRAINED, CORRECTED
from dpcore.errors import number, one_of, whole

NEEDED = {
    "table": "the records (CSV, Parquet)",
    "columns": "file that describes the columns, and what one person is, in YAML, JSON or lines",
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
    for name, help_text in NEEDED.items():
        command.add_argument(f"--{name}", required=True, help=help_text)
    accept_clipping(command)
    command.add_argument("--sector", default="Healthcare", help="default: Healthcare")
    command.add_argument("--loss", default="logistic", help="logistic (usual) or huber")
    command.add_argument(
        "--hidden", default="0", help="units of a network's hidden layer, or rule; 0 (usual): none"
    )
    command.add_argument("--features", default="plain", help="plain (usual) or additive")
    command.add_argument("--steps", help="how many noisy sums; default: by a rule")
    command.add_argument(
        "--risks",
        help="corrected, within the same ε, or as-trained; default: corrected with the logistic "
        "loss where there are records enough",
    )


def run(options: argparse.Namespace) -> None:
    from dpcore.release import release
    from dpcore.release.certificate import About
    from dpcore.release.files import new_folder, write
    from dpcore.release.ledger import Ledger
    from dpcore.release.plan import plan

    table = release_table(options)
    about = About(
        options.name,
        options.description,
        options.curator,
        options.intended_use,
        options.region,
        options.sector,
    )
    epsilon, delta = (number(name, getattr(options, name)) for name in ("epsilon", "delta"))
    ledger = Ledger.open(options.ledger, must_exist=True)
    try:
        with new_folder(options.output) as hidden:
            release_plan = plan(
                table.columns,
                table.count,
                epsilon=epsilon,
                delta=delta,
                adjacency=ledger.left(options.data_set).account.terms.adjacency,
                loss=options.loss,
                hidden=_hidden(options.hidden),
                features=options.features,
                steps=optional_whole("steps", options.steps, at_least=1, at_most=10_000),
                corrected=_corrected(options.risks),
            )
            before_payment(table, delta, options.accept_clipping)
            prepared = release.prepare(
                release_plan,
                table,
                about=about,
                ledger=ledger,
                data_set=options.data_set,
                actor=options.actor,
                progress=progress,
            )
            paid = release.pay(prepared, ledger)
            with standing(f"Entry {paid.receipt.entry} of the ledger stays paid, without a model."):
                released = release.train(paid, progress=progress)
                write(released.files(), hidden, options.output)
            entry, sha = paid.receipt.entry, released.certificate.hash
            with standing(f"Entry {entry} is paid and the model written; attach {sha} to it."):
                released = release.seal(released, ledger)
    finally:
        ledger.close()
    if options.json:
        print_json(released.certificate.document)
        return
    print(released.certificate.document["claim"])
    print(f"entry {released.receipt.entry}, chain head {released.receipt.chain_head}")
    print(f"{released.receipt.left.words()}")
    print(f"The model was written to {options.output}", file=sys.stderr)


def _corrected(risks: str | None) -> bool | None:
    return None if risks is None else one_of("risks", risks, (CORRECTED, AS_TRAINED)) == CORRECTED


def _hidden(given: str) -> int | None:
    return None if given == "rule" else whole("hidden", given, at_least=0)
