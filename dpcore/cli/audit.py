"""`audit`: attack a method on neighbouring data sets, and bound its ε from below."""

from __future__ import annotations

import argparse
from typing import Any

from dpcore.audit import attack, one_run
from dpcore.audit.register import attacks_on
from dpcore.cli.options import Parser, optional, optional_whole
from dpcore.cli.output import downward, print_json, progress, shown
from dpcore.errors import InvalidInput, number, whole
from dpcore.words import as_set, spaced


def add(command: Parser) -> None:
    attacked = command.add_mutually_exclusive_group(required=True)
    attacked.add_argument(
        "--method", help="key of a method, or of a model of the survey; or training, of networks"
    )
    attacked.add_argument(
        "--one-run", action="store_true", help="one training of a network on many canaries"
    )
    command.add_argument("--epsilon", help="default: where each attack has its power")
    command.add_argument("--delta", help="default: where each attack has its power")
    command.add_argument("--runs", help="releases on either data set; default: each attack's own")
    command.add_argument(
        "--canaries", help="with --one-run: records that are in or out by a coin; default: 4000"
    )
    command.add_argument(
        "--noise-share", default="1", help="below 1, a copy with so much of the noise is attacked"
    )
    command.add_argument("--confidence", default="0.99")
    command.add_argument("--seed", default="0")


def run(options: argparse.Namespace) -> None:
    for field, value in (("runs", options.runs), ("canaries", options.canaries)):
        if value is not None and options.one_run is (field == "runs"):
            preposition = "with" if options.one_run else "without"
            raise InvalidInput(f"{field} is {value}, but must be left out {preposition} --one-run.")
    if options.one_run:
        _once(options)
    else:
        _often(options)


def _once(options: argparse.Namespace) -> None:
    epsilon, delta = optional("epsilon", options.epsilon), optional("delta", options.delta)
    outcome = one_run.audit(
        1.0 if epsilon is None else epsilon,
        1e-5 if delta is None else delta,
        canaries=optional_whole("canaries", options.canaries, at_least=1) or one_run.CANARIES,
        noise_share=number("noise-share", options.noise_share),
        confidence=number("confidence", options.confidence),
        seed=whole("seed", options.seed, at_least=0),
    )
    if options.json:
        print_json(
            {
                "audit": {
                    **_bounded(outcome),
                    "canaries": outcome.canaries,
                    "guesses": outcome.guesses,
                    "right": outcome.right,
                    "noise_share": outcome.noise_share,
                    "refuted": outcome.flagged,
                    "tuned_to_noise_share": 1.0 / one_run.LESS,
                    "about": outcome.about,
                }
            }
        )
        return
    print(
        f"{_verdict('one training', outcome)}\n  Of {spaced(outcome.canaries)} canaries "
        f"{spaced(outcome.guesses)} were guessed at, {spaced(outcome.right)} rightly, which proves "
        f"ε ≥ {downward(outcome.lower_bound, 4)} with confidence {as_set(outcome.confidence)} "
        f"(Steinke, Nasr and Jagielski 2023).\n  {outcome.about}"
    )


def _often(options: argparse.Namespace) -> None:
    findings = []
    attacks = attacks_on(options.method)
    for place, attacked in enumerate(attacks):
        progress(place / len(attacks), "releasing")
        findings.append(
            attack.run(
                attacked,
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
        print_json({"audit": [_plain(finding) for finding in findings]})
        return
    for finding in findings:
        print(_sentence(finding))


def _plain(finding: attack.AttackResult) -> dict[str, Any]:
    return {
        "method": finding.method,
        "edition": str(finding.edition),
        **_bounded(finding),
        "bound_by": finding.by,
        "runs": finding.runs,
        "noise_share": finding.noise_share,
        "refuted": finding.flagged,
        "attack": finding.about,
    }


def _bounded(outcome: attack.AttackResult | one_run.OneRunResult) -> dict[str, Any]:
    promise = outcome.promise
    return {
        "adjacency": str(promise.adjacency),
        "epsilon": promise.epsilon,
        "delta": promise.delta,
        "promised_by": promise.by,
        "lower_bound": outcome.lower_bound,
        "confidence": outcome.confidence,
    }


def _verdict(subject: str, outcome: attack.AttackResult | one_run.OneRunResult) -> str:
    promise = outcome.promise
    verdict = "REFUTED" if outcome.flagged else "not refuted"
    share = "" if outcome.noise_share == 1.0 else f" at {as_set(outcome.noise_share)} of the noise"
    return (
        f"{subject}{share}: promise ε = {shown(promise.epsilon)}, δ = {shown(promise.delta)}, "
        f"{promise.adjacency} ({promise.by}) {verdict}."
    )


def _sentence(finding: attack.AttackResult) -> str:
    return (
        f"{_verdict(f'{finding.method}, {finding.edition} edition', finding)}\n"
        f"  {finding.about} {spaced(finding.runs)} releases on either set prove ε ≥ "
        f"{downward(finding.lower_bound, 4)} with confidence {as_set(finding.confidence)} "
        f"({finding.by})."
    )
