"""`sigma`, `epsilon` and `delta`: the third computed from two of them."""

from __future__ import annotations

import argparse

from dpcore.accounting.answers import answer, ladder
from dpcore.cli import plan
from dpcore.cli.options import Parser, or_usual, privacy_loss, scale
from dpcore.cli.output import print_conditions, print_json, shown, upward
from dpcore.cli.plan import print_cost
from dpcore.errors import InvalidInput, brief, number

NEEDS = {
    "sigma": ("epsilon", "delta"),
    "epsilon": ("sigma", "delta"),
    "delta": ("epsilon", "sigma"),
}
READ = {
    "epsilon": privacy_loss,
    "delta": lambda name, text: number(name, text, above=0.0),
    "sigma": scale,
}


def add(command: Parser) -> None:
    question = command.prog.split()[-1]
    for name in NEEDS[question]:
        command.add_argument(f"--{name}", required=True)
    plan.sensitivity_option(command)
    command.add_argument(
        "--mechanism", help="analytic (the default), classical, zcdp, tcdp, rdp or pld"
    )
    if question == "sigma":
        command.add_argument("--ladder", action="store_true", help="by every mechanism")
    if question == "epsilon":
        plan.add_run_options(command)


def run(options: argparse.Namespace) -> None:
    if options.command == "epsilon" and plan.given(options):
        if options.mechanism is not None:
            raise InvalidInput(
                f"mechanism is {brief(options.mechanism)}, but a run is costed by an --accountant."
            )
        print_cost(options)
        return
    needs = NEEDS[options.command]
    inputs = {name: READ[name](name, getattr(options, name)) for name in needs}
    sensitivity = scale("sensitivity", or_usual(options.sensitivity, "1"))
    if getattr(options, "ladder", False):
        _ladder(options, inputs, sensitivity)
        return
    mechanism = or_usual(options.mechanism, "analytic")
    result = answer(options.command, mechanism, sensitivity=sensitivity, **inputs)
    if options.json:
        print_json(result)
        return
    value = result[options.command]
    print(f"{options.command} = {shown(value)}")
    if result["mu"] is not None:
        print(f"mu = {upward(result['mu'])} (Gaussian DP)")
    print(f"mechanism: {result['mechanism']}, {result['theorem']}")
    print_conditions(result["conditions"])
    if value is None:
        claimed = upward(result["claim"][options.command])
        print(f"claim (printed formula): {options.command} = {claimed}")
    if result["certified_epsilon"] is not None:
        print(f"certified ε of this noise at this δ: {upward(result['certified_epsilon'])}")


def _ladder(options: argparse.Namespace, inputs: dict[str, float], sensitivity: float) -> None:
    if options.mechanism is not None:
        raise InvalidInput(f"mechanism is {brief(options.mechanism)}, but a ladder holds them all.")
    rows = ladder(inputs["epsilon"], inputs["delta"], sensitivity)
    if options.json:
        print_json({"ladder": rows})
        return
    print("mechanism           σ  certified ε")
    for row in rows:
        status = "" if row["sigma"] is not None else "  claim only: a condition is not met"
        sigma, certified = upward(row["claim"]["sigma"], 6), upward(row["certified_epsilon"], 6)
        print(f"{row['mechanism']:9} {sigma:>11}  {certified:>11}{status}")
