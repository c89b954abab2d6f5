"""`plan`: a setting of a run for a budget; and the cost of a run, also for `epsilon`."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from dpcore.accounting.accountants import ACCOUNTANTS, certify, lower_bound
from dpcore.accounting.paper_003 import account
from dpcore.accounting.planner import UNKNOWNS, WHOLE, solve
from dpcore.accounting.root_search import RELATIVE_ERROR
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.cli import run_options
from dpcore.cli.options import MAX_EPSILON, Parser
from dpcore.cli.output import downward, print_conditions, print_json, shown, upward
from dpcore.controls.options import add as add_options
from dpcore.controls.options import described
from dpcore.controls.plan import CONTROLS, TARGET
from dpcore.errors import InvalidInput, number, one_of
from dpcore.guarantee import Adjacency, Guarantee, verdicts
from dpcore.words import as_set, spaced


def add(command: Parser) -> None:
    # The page solves for the length in either unit, and not for C.
    command.add_argument("--solve", required=True, help=", ".join(UNKNOWNS))
    add_options(command, (TARGET, CONTROLS["plan_delta"], CONTROLS["sigma"]))
    # Two names, as `epsilon` and `risk` have the first for a query's sensitivity too.
    command.add_argument("--sensitivity", "--clip", help=described(CONTROLS["clip"]))
    run_options.add_options(command)


def print_cost(options: argparse.Namespace) -> None:
    """ε of the run that the options describe."""
    answer = _cost(run_options.read(options), options)
    if options.json:
        print_json(answer)
        return
    print(f"epsilon = {shown(answer['epsilon'])}")
    print(f"at δ = {upward(answer['delta'])}, {_neighbour(answer)}, by {answer['accountant']}")
    print(f"source: {answer['theorem']}")
    print(_described(answer))
    print_conditions(answer["conditions"])
    if answer["epsilon"] is None and not answer["conditions"]:
        print(answer["reason"])
    if answer["lower_bound"] is not None:
        print(f"the exact ε is at least {downward(answer['lower_bound'])}")
    if answer["claim"] is not None:
        print(f"claim ({answer['claim']['by']}): epsilon = {upward(answer['claim']['epsilon'])}")
        print(f"certified for this noise: {_certified(answer['certified'])}")
        print(f"the same on Poisson samples: {_certified(answer['certified_poisson'])}")


def _cost(training: TrainingPlan, options: argparse.Namespace) -> dict[str, Any]:
    event, adjacency, delta = training.event(), training.adjacency, training.delta
    accountant = run_options.accountant(options, event, adjacency)
    certificate = certify(event, delta, adjacency, accountant)
    answer = {
        "epsilon": certificate.epsilon,
        "question": "epsilon",
        "accountant": accountant,
        "theorem": ACCOUNTANTS[accountant].source,
        "adjacency": str(adjacency),
        "public_size": run_options.public_size(options),
        "delta": delta,
        "reason": certificate.reason,
        "conditions": [],
        "claim": None,
        "certified": _statement(certificate, accountant, training.sampling),
        "certified_poisson": None,
        "lower_bound": None,
        "pessimism": None,
    } | _settings(training)
    if accountant == "pld" and certificate.epsilon is not None:
        answer["lower_bound"] = lower_bound(event, delta, adjacency)
        answer["pessimism"] = certificate.epsilon - answer["lower_bound"]
    if accountant == "tcdp":
        tight = run_options.tightest(event, adjacency)
        certified = certify(event, delta, adjacency, tight)
        answer["certified"] = _statement(certified, tight, training.sampling)
        if training.rate < 1.0:
            answer |= _printed(training)
            poisson = replace(training, sampling="poisson").event()
            certified = certify(poisson, delta, Adjacency.ZERO_OUT, "pld")
            answer["certified_poisson"] = _statement(certified, "pld", "poisson")
    return answer


def _printed(training: TrainingPlan) -> dict[str, Any]:
    paper = account(training.schedule(), training.rate, training.delta, training.clip)
    return {
        "conditions": verdicts(paper.conditions),
        "claim": {"epsilon": paper.claim.epsilon, "by": paper.claim.by},
    }


def _settings(training: TrainingPlan) -> dict[str, Any]:
    schedule = training.schedule()
    return {
        "sampling": training.sampling,
        "sampling_rate": training.rate,
        "steps": schedule.steps,
        "sigma": training.sigma,
        "sensitivity": training.clip,
        "schedule": schedule.name,
        "least_noise_multiplier": min(schedule.sigmas) / training.clip,
    }


def _neighbour(answer: dict[str, Any]) -> str:
    size = answer["public_size"]
    return f"{answer['adjacency']}" + ("" if size is None else f" (public size {spaced(size)})")


def _described(answer: dict[str, Any]) -> str:
    rate_text = "" if answer["sampling"] == "none" else f", q = {as_set(answer['sampling_rate'])}"
    return (
        f"run: {spaced(answer['steps'])} steps, sampling {answer['sampling']}{rate_text}, σ "
        f"{as_set(answer['sigma'])} ({answer['schedule']}), C = {as_set(answer['sensitivity'])}"
    )


def _statement(guarantee: Guarantee, accountant: str, sampling: str) -> dict[str, Any]:
    return {
        "epsilon": guarantee.epsilon,
        "delta": guarantee.delta,
        "accountant": accountant,
        "adjacency": str(guarantee.adjacency),
        "sampling": sampling,
        "reason": guarantee.reason,
    }


def _certified(statement: dict[str, Any]) -> str:
    if statement["epsilon"] is None:
        return str(statement["reason"])
    setting = f"{statement['adjacency']}, sampling {statement['sampling']}"
    return f"epsilon = {upward(statement['epsilon'])} by {statement['accountant']}, {setting}"


def run(options: argparse.Namespace) -> None:
    unknown = one_of("solve", options.solve, UNKNOWNS)
    if options.last_sigma is not None:
        raise InvalidInput("last-sigma is given, but a plan is for constant or decaying noise.")
    if unknown == "epsilon":
        if options.epsilon is not None:
            raise InvalidInput("epsilon is given, but it is what is solved for: leave it out.")
        if options.sigma is None:
            raise InvalidInput("sigma is missing, but this question needs --sigma.")
        print_cost(options)
        return
    if options.epsilon is None:
        raise InvalidInput("epsilon is missing, but a plan needs the ε that may be spent.")
    target = number("epsilon", options.epsilon, at_least=1e-12, at_most=MAX_EPSILON)
    training = run_options.training(options, unknown)
    first = replace(training, steps=1)
    accountant = run_options.accountant(options, first.event(), training.adjacency)
    plan = solve(unknown, training, target, accountant)
    value = round(plan.value) if unknown in WHOLE and plan.value is not None else plan.value
    answer: dict[str, Any] = {
        unknown: value,
        "question": unknown,
        "sentence": plan.sentence,
        "target_epsilon": target,
        "epsilon": plan.guarantee.epsilon,
        "delta": plan.guarantee.delta,
        "accountant": accountant,
        "adjacency": str(training.adjacency),
        "public_size": run_options.public_size(options),
        "relative_error": None if value is None else 0.0 if unknown in WHOLE else RELATIVE_ERROR,
        "settings": None if plan.training is None else _settings(plan.training),
    }
    if options.json:
        print_json(answer)
        return
    print(f"{unknown} = {_value_text(unknown, value)}")
    print(plan.sentence)
    if value is not None:
        print(_exactness(unknown, answer["relative_error"]))
    if answer["settings"] is not None:
        print(_described(answer["settings"]))


def _exactness(unknown: str, error: float) -> str:
    if unknown in WHOLE:
        return "exact: the largest that this accountant allows"
    side = "largest" if unknown == "clip" else "least"
    return (
        f"error: within a relative {as_set(error)} of the {side} that this accountant allows, on "
        "the safe side"
    )


def _value_text(unknown: str, value: float | None) -> str:
    if value is None:
        return "(not reachable)"
    if unknown in WHOLE:
        return f"{value:d}"
    return downward(value) if unknown == "clip" else upward(value)
