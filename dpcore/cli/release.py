"""`release`: pay for a private model of one's own table, train it, and write what may leave."""

from __future__ import annotations

import argparse

from dpcore.accounting.events import MAX_CHOSEN, OUTPUTS, check_basis
from dpcore.cli import paying
from dpcore.cli.options import Parser, numbers, optional_whole, or_usual
from dpcore.cli.output import progress, standing
from dpcore.cli.tables import before_payment, release_table
from dpcore.controls.options import add as add_options
from dpcore.controls.release import AS_TRAINED, CHOICE, CORRECTED
from dpcore.errors import number, one_of, whole

NEEDED = {
    **paying.NEEDED,
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
    paying.add_needed(command, NEEDED)
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
    add_options(command, CHOICE)
    command.add_argument(
        "--tune",
        help="let the release choose: factors of λ such as 0.1,1,10; a model is trained by "
        "each, and the best by noisy scores kept, all within the same ε",
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
                chosen_of=_tried(options),
                tune=numbers("tune", options.tune) if options.tune else (),
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
    paying.answer(options, "model", released.certificate, released.receipt)


def _tried(options: argparse.Namespace) -> int:

    check_basis(or_usual(options.chosen_by, OUTPUTS))
    return optional_whole("chosen-of", options.chosen_of, 1, MAX_CHOSEN) or 1


def _corrected(risks: str | None) -> bool | None:
    return None if risks is None else one_of("risks", risks, (CORRECTED, AS_TRAINED)) == CORRECTED


def _hidden(given: str) -> int | None:
    return None if given == "rule" else whole("hidden", given, at_least=0)
