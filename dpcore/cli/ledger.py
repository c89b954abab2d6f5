"""`ledger`: the budgets of data sets, what was spent on them, and whether the history is whole."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpcore.cli.options import Parser, or_usual, words
from dpcore.cli.output import print_json
from dpcore.datasets.files import contents
from dpcore.errors import InvalidInput, one_of, reject, whole
from dpcore.guarantee import Adjacency
from dpcore.words import spaced

if TYPE_CHECKING:
    from dpcore.release.ledger import Ledger, Left, Receipt, Spend

MAX_BYTES = 1_000_000
UNUSED = "no certificate: unused, unless another program released something for it"
TEXTS = {
    "data-set": "name of the data set",
    "person-unit": "create: what one record is, such as 'one patient'",
    "adjacency": "create: zero-out (usual), replace-one or add-remove",
    "owner": "create: who answers for the data",
    "accepts": "create: which spends, of gaussian,renyi,approximate (all); the fewer, the cheaper",
    "epsilon": "create, raise: the cap's ε; spend: of what is (ε, 0)- or (ε, δ)-private",
    "delta": "create, raise: the cap's δ; spend: of what is (ε, δ)-private",
    "noise-multiplier": "spend: σ/C of Gaussian noise",
    "count": "spend: how many such releases (1)",
    "sampling-rate": "spend: of a training, the share of the records in a step",
    "steps": "spend: of a training, how many",
    "sampling": "spend: of a training, poisson (usual) or fixed",
    "actor": "spend, raise, attach, import: who",
    "purpose": "spend, import: what for",
    "reason": "raise: why",
    "certificate": "spend, attach: SHA-256 of the certificate, 64 hexadecimal digits",
    "entry": "attach: number of the spend",
    "file": "import: JSON of Opacus' accountant.state_dict(), of OpenDP, or of a declared (ε, δ)",
    "output": "backup: the copy, a new file",
    "heads": "verify: chain heads from certificates, separated by commas",
}


def add(command: Parser) -> None:
    command.add_argument("action", help=f"one of {', '.join(ACTIONS)}")
    command.add_argument(
        "--ledger", required=True, help="the ledger: a file, or a URL of SQLite or PostgreSQL"
    )
    for name, help_text in TEXTS.items():
        command.add_argument(f"--{name}", help=help_text)


def run(options: argparse.Namespace) -> None:
    action = one_of("action", options.action, tuple(ACTIONS))
    # SQLAlchemy takes a tenth of a second to import.
    from dpcore.release.ledger import Ledger

    ledger = Ledger.open(options.ledger, must_exist=action != "create")
    try:
        ACTIONS[action](ledger, options)
    finally:
        ledger.close()


def _create(ledger: Ledger, options: argparse.Namespace) -> None:
    left = ledger.create(
        _needed(options, "data-set"),
        person_unit=_needed(options, "person-unit"),
        adjacency=or_usual(options.adjacency, Adjacency.ZERO_OUT),
        epsilon=_needed(options, "epsilon"),
        delta=_needed(options, "delta"),
        owner=_needed(options, "owner"),
        **({} if options.accepts is None else {"accepts": words(options.accepts)}),
    )
    _print_answer(options, {"data_set": options.data_set} | _left(left), left.words())


def _list(ledger: Ledger, options: argparse.Namespace) -> None:
    budgets = ledger.data_sets()
    _print_answer(
        options,
        [{"data_set": name} | _left(left) for name, left in budgets.items()],
        "\n".join(f"{name}: {left.words()}" for name, left in budgets.items()) or "no data set",
    )


def _show_left(ledger: Ledger, options: argparse.Namespace) -> None:
    left = ledger.left(_needed(options, "data-set"))
    spend = _optional_spend(options)
    more = {} if spend is None else {"more": left.more(spend)}
    _print_answer(options, _left(left) | more, left.words(spend))


def _spend(ledger: Ledger, options: argparse.Namespace) -> None:
    from dpcore.release.ledger import ApproximateSpend, PureSpend
    from dpcore.release.ledger.spends import mechanism_epsilon

    spend = _optional_spend(options)
    if spend is None:
        raise InvalidInput("noise-multiplier is missing, but a spend needs it or an epsilon.")
    receipt = ledger.spend(
        _needed(options, "data-set"),
        spend,
        actor=_needed(options, "actor"),
        purpose=_needed(options, "purpose"),
        certificate_hash=options.certificate,
    )
    more = {}
    if isinstance(spend, PureSpend | ApproximateSpend):
        more["mechanism_epsilon"] = mechanism_epsilon(spend)
    _receipts(options, [receipt], more)


def _import(ledger: Ledger, options: argparse.Namespace) -> None:
    from dpcore.release.ledger import declared

    name = _needed(options, "file")
    try:
        document = contents("file", name, MAX_BYTES).decode()
    except UnicodeDecodeError:
        raise reject("file", name, "a text file (UTF-8)") from None
    receipts = ledger.declare(
        _needed(options, "data-set"),
        declared(document),
        actor=_needed(options, "actor"),
        purpose=_needed(options, "purpose"),
    )
    _receipts(options, receipts)


def _attach(ledger: Ledger, options: argparse.Namespace) -> None:
    receipt = ledger.attach(
        _needed(options, "data-set"),
        whole("entry", _needed(options, "entry"), at_least=1),
        _needed(options, "certificate"),
        actor=options.actor or "",
    )
    _receipts(options, [receipt])


def _raise(ledger: Ledger, options: argparse.Namespace) -> None:
    left = ledger.raise_cap(
        _needed(options, "data-set"),
        epsilon=_needed(options, "epsilon"),
        delta=_needed(options, "delta"),
        reason=_needed(options, "reason"),
        actor=_needed(options, "actor"),
    )
    _print_answer(options, _left(left), left.words())


def _history(ledger: Ledger, options: argparse.Namespace) -> None:
    from dpcore.release.ledger.chain import certificates

    entries = ledger.history(_needed(options, "data-set"))
    certificate_hashes = certificates(entries)
    # A release that was cut off after its payment has none; what is declared was made elsewhere.
    unused = {
        entry.number
        for entry in entries
        if not certificate_hashes.get(entry.number, True) and "source" not in entry.details["spend"]
    }
    if options.json:
        print_json(
            [
                {**entry.document, "hash": entry.hash}
                | (
                    {"certificates": certificate_hashes[entry.number]}
                    if entry.kind == "spent"
                    else {}
                )
                for entry in entries
            ]
        )
        return
    for entry in entries:
        about = {key: value for key, value in entry.details.items() if key != "spend"}
        text = ", ".join(f"{key} {value}" for key, value in _flat(entry.details, about).items())
        text += f", {UNUSED}" if entry.number in unused else ""
        print(f"{entry.number}  {entry.at}  {entry.kind}  {entry.actor}  {text}".rstrip())
        print(f"   {entry.hash}")


def _backup(ledger: Ledger, options: argparse.Namespace) -> None:
    last = ledger.backup(Path(_needed(options, "output")))
    count, head = (0, None) if last is None else (last.number, last.hash)
    words = f"entries copied: {spaced(count)}, chain head {head}" if head else "the copy is empty"
    _print_answer(options, {"entries": count, "chain_head": head}, words)


def _verify(ledger: Ledger, options: argparse.Namespace) -> None:
    heads = words(options.heads or "")
    problems = ledger.verify(heads)
    heads_note = " and holds every chain head given" if heads else ""
    _print_answer(
        options, {"problems": problems}, "\n".join(problems) or f"the ledger is whole{heads_note}"
    )
    if problems:
        raise InvalidInput(f"The ledger is not whole; problems found: {len(problems)}.")


ACTIONS: dict[str, Callable[[Ledger, argparse.Namespace], None]] = {
    "create": _create,
    "list": _list,
    "left": _show_left,
    "spend": _spend,
    "import": _import,
    "attach": _attach,
    "raise": _raise,
    "history": _history,
    "verify": _verify,
    "backup": _backup,
}


def _needed(options: argparse.Namespace, name: str) -> Any:
    value = getattr(options, name.replace("-", "_"))
    if value is None:
        raise InvalidInput(f"{name} is missing, but {options.action} needs it.")
    return value


def _optional_spend(options: argparse.Namespace) -> Spend | None:
    from dpcore.release.ledger import (
        ApproximateSpend,
        GaussianSpend,
        PureSpend,
        SubsampledGaussianSpend,
    )

    noise, rate, steps = options.noise_multiplier, options.sampling_rate, options.steps
    given = {
        name: value
        for name in ("epsilon", "delta", "noise-multiplier", "count", "sampling-rate", "steps")
        if (value := getattr(options, name.replace("-", "_"))) is not None
    }

    def only(*names: str) -> None:
        for name in given.keys() - {*names}:
            raise InvalidInput(f"{name} is given, but {' and '.join(names)} leave no room for it.")

    if noise is not None and (rate is not None or steps is not None):
        only("noise-multiplier", "sampling-rate", "steps")
        rate, steps = _needed(options, "sampling-rate"), _needed(options, "steps")
        return SubsampledGaussianSpend(noise, rate, steps, or_usual(options.sampling, "poisson"))
    if noise is not None:
        only("noise-multiplier", "count")
        return GaussianSpend(noise, 1 if options.count is None else options.count)
    if options.epsilon is None:
        only()
        return None
    only("epsilon", "delta")
    if options.delta is None:
        return PureSpend(options.epsilon)
    return ApproximateSpend(options.epsilon, options.delta)


def _left(left: Left) -> dict[str, Any]:
    epsilon, delta = left.cap
    return {
        "epsilon_left": left.epsilon,
        "taken": left.epsilon_spent,
        "cap": epsilon,
        "delta": delta,
    }


def _receipts(
    options: argparse.Namespace, receipts: list[Receipt], given: dict[str, Any] | None = None
) -> None:
    _print_answer(
        options,
        [
            {"entry": each.entry, "chain_head": each.chain_head} | _left(each.left) | (given or {})
            for each in receipts
        ],
        "\n".join(f"entry {each.entry}, chain head {each.chain_head}" for each in receipts)
        + f"\n{receipts[-1].left.words()}",
    )


def _print_answer(options: argparse.Namespace, answer: object, sentence: str) -> None:
    if options.json:
        print_json(answer)
    else:
        print(sentence)


def _flat(details: Any, about: dict[str, Any]) -> dict[str, Any]:
    return {**details.get("spend", {}), **about}
