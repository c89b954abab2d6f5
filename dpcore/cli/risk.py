"""`risk`: an attacker's possible gain of knowledge about one person."""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import Any

from dpcore.accounting import tradeoff
from dpcore.accounting.accountants import certify, refusal
from dpcore.accounting.risk import QUESTION, odds_by
from dpcore.accounting.tradeoff import PrivacyCurve, from_budget, from_event, from_gaussian
from dpcore.cli import plan
from dpcore.cli.options import Parser, or_usual, privacy_loss, scale
from dpcore.cli.output import print_json
from dpcore.controls.common import ALARMS, PRIOR, RISK
from dpcore.controls.options import add as add_options
from dpcore.errors import InvalidInput, number, one_of
from dpcore.guarantee import SMALLEST_DELTA, Adjacency
from dpcore.mechanisms.gaussian import analytic_epsilon
from dpcore.words import as_set


def add(command: Parser) -> None:
    command.add_argument("--epsilon", help="the budget's; with --sigma, by default what that costs")
    command.add_argument("--delta", required=True)
    add_options(command, RISK)
    command.add_argument("--sigma", help="of one Gaussian mechanism, or of a run")
    plan.sensitivity_option(command)
    plan.add_run_options(command)


@dataclass(frozen=True)
class _Mechanism:
    """The mechanism's exact curve, and its ε at δ, each where there is one."""

    adjacency: Adjacency
    curve: PrivacyCurve | None = None
    epsilon: float | None = None
    reason: str = ""


def run(options: argparse.Namespace) -> None:
    # The page asks for the belief in %.
    prior_text = or_usual(options.prior, str(PRIOR.default / 100))
    prior = number("prior", prior_text, above=0.0, below=1.0)
    rate = number("fpr", or_usual(options.fpr, str(ALARMS.default)), above=0.0, at_most=1.0)
    delta = number("delta", options.delta, at_least=SMALLEST_DELTA, below=1.0)
    typed = None if options.epsilon is None else privacy_loss("epsilon", options.epsilon)
    mechanism = _mechanism(options, delta)
    epsilon = mechanism.epsilon if typed is None else typed
    if epsilon is None and options.sigma is None:
        raise InvalidInput("epsilon is missing, but a risk follows from it or from --sigma.")
    exact = None if mechanism.curve is None else _figures(mechanism.curve, prior, rate)
    weaker = None
    if epsilon is not None and math.isfinite(epsilon):
        weaker = _figures(from_budget(epsilon, delta, mechanism.adjacency), prior, rate)
    answer: dict[str, Any] = {
        "risk": exact or weaker,
        "question": "risk",
        "guess": QUESTION[mechanism.adjacency],
        "adjacency": str(mechanism.adjacency),
        "public_size": plan.public_size(options),
        "prior": prior,
        "fpr": rate,
        "epsilon": epsilon,
        "delta": delta,
        "exact": exact,
        "from_budget": weaker,
        "reason": mechanism.reason,
    }
    if typed is not None and options.sigma is not None:
        spent = math.inf if mechanism.epsilon is None else mechanism.epsilon
        answer["within_budget"] = spent <= typed
        if spent > typed:
            answer["reason"] += (
                f"This mechanism does not keep ε = {as_set(typed)} at δ = {as_set(delta)}: "
                f"there its ε is {spent}, so what follows from the budget does not hold for it."
            )
    if options.json:
        print_json(answer)
        return
    _print(answer)


def _mechanism(options: argparse.Namespace, delta: float) -> _Mechanism:
    if options.sigma is None:
        alone = [] if options.sensitivity is None else ["sensitivity"]
        for name in (*alone, *plan.given(options)):
            if name != "adjacency":
                raise InvalidInput(f"{name} is given, but it describes nothing without --sigma.")
        adjacency = or_usual(options.adjacency, Adjacency.ZERO_OUT)
        return _Mechanism(Adjacency(one_of("adjacency", adjacency, tuple(Adjacency))))
    if not plan.given(options):
        sensitivity = scale("sensitivity", or_usual(options.sensitivity, "1"))
        sigma = scale("sigma", options.sigma)
        curve = from_gaussian(sensitivity / sigma, Adjacency.ZERO_OUT)
        epsilon = float(analytic_epsilon(sigma, delta, sensitivity))
        return _Mechanism(curve.adjacency, curve, epsilon)
    training = plan.read(options)
    event, adjacency = training.event(), training.adjacency
    accountant = plan.chosen_accountant(options, event, adjacency)
    certified = certify(event, delta, adjacency, accountant)
    if reason := refusal(event, adjacency, "pld"):
        reason = f"There is no exact privacy curve here: {reason}"
        return _Mechanism(adjacency, None, certified.epsilon, certified.reason or reason)
    return _Mechanism(adjacency, from_event(event, adjacency), certified.epsilon, certified.reason)


def _figures(curve: PrivacyCurve, prior: float, rate: float) -> dict[str, Any]:
    advantage = tradeoff.advantage(curve)
    guessing = odds_by(advantage, curve.adjacency)
    return {
        "tpr": float(tradeoff.power(curve, rate)),
        "advantage": advantage,
        "posterior": tradeoff.posterior(curve, prior, rate),
        "success": tradeoff.success(curve, prior),
        "right_of_100": guessing.right,
        "sentence": guessing.sentence,
        "by": curve.by,
    }


LINES = (
    ("tpr", "true alarms, at that rate of false ones"),
    ("posterior", "belief after an alarm"),
    ("advantage", "advantage: true less false alarms at most"),
    ("success", "how often the best guess is right"),
    ("right_of_100", "of 100 guessing from even odds, right at most"),
)


def _print(answer: dict[str, Any]) -> None:
    print(f"An attacker guesses {answer['guess']} ({answer['adjacency']}),")
    print(
        f"believes it beforehand by {as_set(answer['prior'])}, takes {as_set(answer['fpr'])} "
        "false alarms."
    )
    bounds = [answer[key] for key in ("exact", "from_budget") if answer[key] is not None]
    for figures in bounds:
        print(f"\nAt most, from {figures['by']}:")
        for key, meaning in LINES:
            print(f"  {as_set(figures[key]):<12}{meaning}")
    if answer["risk"] is not None:
        print(f"\n{answer['risk']['sentence']}")
    if answer["reason"]:
        print(answer["reason"])
