"""`account`: what trainings and releases in a file spend together, and what is left."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dpcore.accounting.account import Account, rooms, state
from dpcore.accounting.decimals import decimal, named_below
from dpcore.accounting.entries import MAX_LETTERS, from_csv
from dpcore.cli.options import MAX_EPSILON, Parser, or_usual
from dpcore.cli.output import downward, print_json, print_mu, upward, writing
from dpcore.controls.options import add as add_options
from dpcore.controls.plan import ACCOUNT, PEOPLE
from dpcore.datasets.files import contents
from dpcore.errors import InvalidInput, number, one_of, reject, whole
from dpcore.guarantee import SMALLEST_DELTA, Adjacency, PrivacyBudget, default_delta
from dpcore.questions.account.told import calendar
from dpcore.spreadsheet import csv
from dpcore.words import spaced

SUFFIXES = (".csv", ".ics")


def add(command: Parser) -> None:
    command.add_argument("--file", required=True, help="the entries (CSV), as the page saves them")
    add_options(command, ACCOUNT)
    command.add_argument(
        "--output", help="file to write: what happens on each day, .csv or .ics for a diary"
    )


def run(options: argparse.Namespace) -> None:
    if options.epsilon is None:
        raise InvalidInput("epsilon is missing, but an account needs the ε that may be spent.")
    target = None if options.output is None else Path(options.output)
    if target is not None and target.suffix not in SUFFIXES:
        raise reject("output", target.name, f"a name that ends in {' or '.join(SUFFIXES)}")
    records = whole("records", or_usual(options.records, str(PEOPLE.default)), at_least=1)
    delta = default_delta(records) if options.delta is None else options.delta
    adjacency = or_usual(options.adjacency, Adjacency.ZERO_OUT)
    number("epsilon", options.epsilon, at_least=1e-12, at_most=MAX_EPSILON)
    number("delta", delta, at_least=SMALLEST_DELTA, below=1.0)
    account = Account(
        PrivacyBudget(named_below(decimal(options.epsilon)), named_below(decimal(delta))),
        from_csv(_text(options.file)),
        Adjacency(one_of("adjacency", adjacency, tuple(Adjacency))),
    )
    statement = state(account)
    more = rooms(statement)
    guarantee = statement.guarantee
    answer: dict[str, Any] = {
        "epsilon": guarantee.epsilon,
        "mu": statement.mu,
        "question": "account",
        "budget": account.budget.epsilon,
        "left": statement.left,
        "within": statement.is_within,
        "breaks_on": None if statement.breaks_on is None else str(statement.breaks_on),
        "delta": account.budget.delta,
        "adjacency": str(account.adjacency),
        "accountant": guarantee.by,
        "reason": guarantee.reason,
        "entries": [
            {name: _plain(value) for name, value in entry.row().items()}
            | {"steps": entry.steps, "epsilon_alone": alone.epsilon}
            for entry, alone in zip(statement.entries, statement.alone, strict=True)
        ],
        "fits": [{"like": each.entry.what, "more": each.count} for each in more],
        "days": [
            {
                "day": str(row["day"]),
                "what": row["what"],
                "steps": row["steps"],
                "epsilon": row["epsilon_spent"],
            }
            for row in statement.table.to_dict("records")
        ],
    }
    if target is not None:
        is_table = target.suffix == ".csv"
        text = csv(statement.table) if is_table else calendar(statement)
        with writing(options.output, "a file in a folder that exists"):
            target.write_text(text, encoding="utf-8", newline="")
    if options.json:
        print_json(answer)
        return
    _print(answer)


def _text(name: str) -> str:
    try:
        return contents("file", name, 4 * MAX_LETTERS).decode()
    except UnicodeDecodeError:
        raise reject("file", name, "a text file (UTF-8)") from None


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float) else str(value)


def _print(answer: dict[str, Any]) -> None:
    epsilon = answer["epsilon"]
    if epsilon is None:
        print(answer["reason"])
        return
    print(f"epsilon = {upward(epsilon)} of {downward(answer['budget'])}")
    print(f"at δ = {upward(answer['delta'])}, {answer['adjacency']}, by {answer['accountant']}")
    print_mu(answer["mu"], answer["delta"])
    print("the budget is kept" if answer["within"] else f"broken on {answer['breaks_on']}")
    print(f"left: ε = {downward(answer['left'])}")
    for each in answer["fits"]:
        print(f"  {spaced(each['more'])} more like “{each['like']}”")
    print("day         ε so far   steps T  what")
    for row in answer["days"]:
        spent, steps = upward(row["epsilon"], 6), row["steps"] or ""
        print(f"{row['day']}  {spent:>8}{steps:>10}  {row['what']}")
