"""`split`: the noise of releases that share one budget."""

from __future__ import annotations

import argparse

from dpcore.accounting.answers import split
from dpcore.cli.options import MAX_EPSILON, Parser, numbers, scale
from dpcore.cli.output import downward, print_json, upward
from dpcore.errors import InvalidInput, number, whole
from dpcore.guarantee import SMALLEST_DELTA, PrivacyBudget


def add(command: Parser) -> None:
    command.add_argument("--epsilon", required=True)
    command.add_argument("--delta", required=True)
    command.add_argument("--releases", help="how many")
    command.add_argument("--weights", help="comma-separated, one for each release")
    command.add_argument("--accountant", default="pld", help="basic, zcdp or pld (the tightest)")
    command.add_argument("--sensitivity", default="1", help="Δ of each release")


def run(options: argparse.Namespace) -> None:
    budget = PrivacyBudget(
        number("epsilon", options.epsilon, at_least=1e-12, at_most=MAX_EPSILON),
        number("delta", options.delta, at_least=SMALLEST_DELTA, below=1.0),
    )
    if (options.releases is None) == (options.weights is None):
        raise InvalidInput("releases and weights are alternatives: exactly one must be given.")
    shares = (
        whole("releases", options.releases, at_least=1, at_most=10_000)
        if options.weights is None
        else numbers("weights", options.weights)
    )
    sensitivity = scale("sensitivity", options.sensitivity)
    division = split(budget, shares, options.accountant, sensitivity)
    answer = {
        "sigma": [portion.sigma for portion in division.portions],
        "question": "sigma",
        "epsilon": budget.epsilon,
        "delta": budget.delta,
        "accountant": division.composition,
        "adjacency": "that of the sensitivity",
        "sensitivity": sensitivity,
        "shares": [portion.share for portion in division.portions],
        "epsilon_alone": [portion.epsilon_alone for portion in division.portions],
        "certified_epsilon": division.certified_epsilon,
    }
    if options.json:
        print_json(answer)
        return
    print("release      share            σ  ε alone")
    for place, portion in enumerate(division.portions, start=1):
        sigma, epsilon_alone = upward(portion.sigma, 6), upward(portion.epsilon_alone, 4)
        print(f"{place:7}  {portion.share:9.4f}  {sigma:>11}  {epsilon_alone:>7}")
    print(
        f"together: exact ε = {upward(division.certified_epsilon)} at δ = {upward(budget.delta)}, "
        f"of {downward(budget.epsilon)} allowed, split by {division.composition}"
    )
