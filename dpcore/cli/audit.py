"""`audit`: attack a method on neighbouring data sets, and bound its ε from below."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from dpcore.cli.options import json_option, optional, optional_whole
from dpcore.cli.output import downward, print_json, progress, shown
from dpcore.errors import number, whole

if TYPE_CHECKING:
    from dpcore.audit.attack import Finding
    from dpcore.cli.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    command = commands.add_parser(
        "audit", help="attack a method's sound edition on neighbours: a lower bound on its ε"
    )
    command.add_argument(
        "--method", required=True, help="key of a method, or of a model of the survey"
    )
    command.add_argument("--epsilon", help="default: where each attack has its power")
    command.add_argument("--delta", help="default: where each attack has its power")
    command.add_argument("--runs", help="releases on either data set; default: each attack's own")
    command.add_argument(
        "--noise-share", default="1", help="below 1, a copy with so much of the noise is attacked"
    )
    command.add_argument("--confidence", default="0.99")
    command.add_argument("--seed", default="0")
    json_option(command)
    command.set_defaults(run=_audit)


def _audit(options: argparse.Namespace) -> None:
    from dpcore.audit.attack import run
    from dpcore.audit.register import attacks_on

    found = []
    attacks = attacks_on(options.method)
    for place, attack in enumerate(attacks):
        progress(place / len(attacks), "releasing")
        found.append(
            run(
                attack,
                epsilon=optional("epsilon", options.epsilon),
                delta=optional("delta", options.delta),
                runs=optional_whole("runs", options.runs, at_least=100),
                noise_share=number("noise-share", options.noise_share),
                confidence=number("confidence", options.confidence),
                seed=whole("seed", options.seed, at_least=0),
            )
        )
    progress(1.0, "done")
    if options.json:
        print_json({"audit": [_plain(finding) for finding in found]})
        return
    for finding in found:
        print(_sentence(finding))


def _plain(finding: Finding) -> dict[str, Any]:
    promise = finding.promise
    return {
        "method": finding.method,
        "edition": str(finding.edition),
        "adjacency": str(promise.adjacency),
        "epsilon": promise.epsilon,
        "delta": promise.delta,
        "promised_by": promise.by,
        "lower_bound": finding.lower_bound,
        "confidence": finding.confidence,
        "bound_by": finding.by,
        "runs": finding.runs,
        "noise_share": finding.noise_share,
        "refuted": finding.flagged,
        "attack": finding.about,
    }


def _sentence(finding: Finding) -> str:
    promise = finding.promise
    verdict = "REFUTED" if finding.flagged else "not refuted"
    share = "" if finding.noise_share == 1.0 else f" at {finding.noise_share:g} of the noise"
    return (
        f"{finding.method}, {finding.edition} edition{share}: promise "
        f"ε = {shown(promise.epsilon)}, δ = {promise.delta:g}, {promise.adjacency} "
        f"({promise.by}) {verdict}.\n"
        f"  {finding.about} {finding.runs:,} releases on either set prove ε ≥ "
        f"{downward(finding.lower_bound, 4)} with confidence {finding.confidence:g} "
        f"({finding.by})."
    )
