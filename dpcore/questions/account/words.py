"""The account in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from statistics import NormalDist

from dpcore.accounting.account import DIGITS, MAX_MORE, Account, Room, Statement
from dpcore.accounting.decimals import decimal, excess
from dpcore.accounting.entries import GAUSSIAN, PAIR, PROOFS, PURE, AccountEntry
from dpcore.guarantee import Adjacency
from dpcore.summaries.counts import layers_for
from dpcore.summaries.mechanism import NumberColumn, SummaryQuery
from dpcore.words import at_least, at_most, counted, plain, spaced

KINDS = {GAUSSIAN: "Gaussian noise", PURE: "pure ε", PAIR: "(ε, δ) alone"}
"""What is known of the ε of one model, by its kind of proof."""
EVERY = ("day", "week", "month", "quarter", "all on one day")
"""The distances of repetitions, in the order of `dpcore.accounting.entries.EVERY`."""


def day(on: date) -> str:
    """A day as "15 Jan 2026", in any locale."""
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    return f"{on.day} {months[on.month - 1]} {on.year}"


def entry(
    shown: AccountEntry, share: float | None, adjacency: Adjacency = Adjacency.ZERO_OUT
) -> tuple[str, str]:
    """One entry as a row: how many and what; its noise, and when."""
    if shown.kind == "spent":
        under = f", {shown.adjacency}" if shown.adjacency else ""
        spent_ = f"{_epsilon(shown)}, δ = {at_most(shown.delta or 0.0)}{under}"
        return shown.what, f"{spent_} · {day(shown.first)}"
    often = f"{spaced(shown.count)} × " if shown.count > 1 else ""
    parts = [noise(shown, share), table(shown, adjacency), _when(shown)]
    return f"{often}{shown.what}", " · ".join(filter(None, parts))


def table(shown: AccountEntry, adjacency: Adjacency) -> str:
    """How wrong noise makes a share in a table, at most; "" of all else, or by unknown noise."""
    if shown.columns is None or shown.records is None or shown.noise is None:
        return ""
    layers = layers_for(shown.records)
    each = [
        NumberColumn(str(place), 0.0, 1.0, layers, may_be_unknown=True)
        for place in range(shown.columns)
    ]
    change = SummaryQuery(tuple(each), "group", ("one", "other")).squared(adjacency) ** 0.5
    points = 100.0 * NormalDist().inv_cdf(0.975) * shown.noise * change / shown.records
    return (
        f"{counted(shown.columns, 'column')} of n = {spaced(shown.records)}: "
        f"at most ± {at_most(points, 2)} points on a share of all"
    )


def noise(shown: AccountEntry, share: float | None = None) -> str:
    """The noise of an entry, with its unit."""
    by_share = f" (share {plain(share)})" if share is not None else ""
    if shown.noise is None and shown.epsilon is None:
        by = f"noise by its share {plain(share or 0.0)}"
        return f"{title(shown.method)} · {by}" if shown.method else by
    if shown.kind == "model":
        return f"{_model(shown)}{by_share}"
    if shown.kind == "laplace":
        return f"Laplace noise, {_epsilon(shown)} each{by_share}"
    if shown.noise is None:
        return f"Gaussian noise, {_epsilon(shown)} each"
    if shown.kind == "release":
        return f"noise {at_most(shown.noise, 5)} times one person's largest change{by_share}"
    return (
        f"noise multiplier {at_most(shown.noise, 5)}{by_share} · "
        f"{counted(shown.epochs or 1, 'epoch')} in batches of {spaced(shown.batch or 0)} "
        f"from n = {spaced(shown.records or 0)}, T = {spaced(shown.steps or 0)}"
    )


def basis(shown: AccountEntry, account: Account) -> str:
    """The δ, adjacency and accountant of an entry's own ε, in a few words; "" where it has none."""
    if shown.epsilon is None:
        return ""
    kinds = {"laplace": PURE, "model": shown.proof, "spent": PAIR}
    kind = kinds.get(shown.kind, GAUSSIAN)
    delta = 0.0 if kind == PURE else shown.delta
    if delta is None:
        delta = account.budget.delta
    adjacency = shown.adjacency or account.adjacency
    return f"{KINDS[kind]} · {adjacency} · δ = {plain(delta)}."


def title(method: str) -> str:
    """The name of a method of Explore on screen."""
    from dpcore.predictors import titles  # all methods' code, where an entry names one

    return titles()[method]


def methods() -> dict[str, str]:
    """The name of every method that an entry may have, by key."""
    return {method: title(method) for method in PROOFS}


def _epsilon(shown: AccountEntry) -> str:
    """What counts, rounded up; all digits of an ε that follows from what is left."""
    return f"ε = {at_most(shown.epsilon or 0.0, DIGITS)}"


def _model(shown: AccountEntry) -> str:
    delta = shown.delta or 0.0
    at = " at δ = 0" if shown.proof == PURE else f" at δ = {plain(delta)}" if delta else ""
    kind = KINDS[shown.proof]
    each = f"{_epsilon(shown)}{at} each"
    return f"{title(str(shown.method))} · {each}, {kind}"


def _when(shown: AccountEntry) -> str:
    if shown.count == 1:
        return day(shown.first)
    if shown.every == "once":
        return f"all on {day(shown.first)}"
    return f"every {shown.every} from {day(shown.first)}"


def spent(statement: Statement) -> str:
    """What all entries spend, in one sentence."""
    budget, guarantee = statement.account.budget, statement.guarantee
    if guarantee.epsilon is None:
        return guarantee.reason
    if not statement.entries:
        return f"Nothing is planned yet: all of ε = {plain(budget.epsilon)} is left."
    total = "All that is planned spends ε ="
    if statement.is_within:
        return f"{total} {at_most(guarantee.epsilon)} of {plain(budget.epsilon)}."
    breaks = statement.breaks_on
    when = f" It breaks on {day(breaks)}." if breaks else ""
    over = excess(decimal(guarantee.epsilon), decimal(budget.epsilon))
    return f"{total} {over} more than the budget of {plain(budget.epsilon)}.{when}"


def changed(before: Sequence[AccountEntry], after: Sequence[AccountEntry]) -> str:
    """Which noise was set in place of which, in one sentence."""
    pairs = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    if len(pairs) > 1:
        return f"The noise of {len(pairs)} entries was set, in equal shares of the budget."
    ((old, new),) = pairs
    name, value, former = "noise", new.noise, old.noise
    if value is None:
        name, value, former = "ε", new.epsilon or 0.0, old.epsilon
    instead = "" if former is None else f" instead of {plain(former)}"
    return f"Set: “{new.what}” with {name} {at_most(value, DIGITS)}{instead}."


def held_by(statement: Statement) -> str:
    """The accountant, adjacency and δ of what all entries spend, in a few words."""
    guarantee, delta = statement.guarantee, statement.account.budget.delta
    return f"{guarantee.by} · {guarantee.adjacency} · δ = {plain(delta)}"


def remainder(statement: Statement) -> str:
    """ε that is left, rounded down to thousandths: less buys nothing."""
    return at_least(math.floor(1_000 * decimal(statement.left)) / 1e3)


def left(rooms: Sequence[Room], statement: Statement) -> str:
    """What still fits, in words: "Left: 2 more trainings like “Training”"."""
    if not statement.is_within:
        return "Nothing more fits: add noise, or take something out."
    planned = {(entry.kind, entry.what) for entry in statement.entries}
    fitting = [
        _room(each, is_planned=(each.entry.kind, each.entry.what) in planned)
        for each in rooms
        if each.count
    ]
    if not fitting:
        return "Nothing more of this kind fits: the budget is used."
    parts = ", or ".join(fitting)
    return f"Left: {parts}."


def _room(each: Room, *, is_planned: bool) -> str:
    number = f"at least {spaced(MAX_MORE)}" if each.count >= MAX_MORE else spaced(each.count)
    noun = each.entry.kind if each.entry.kind in ("training", "model") else "release"
    nouns = f"{noun}{'' if each.count == 1 else 's'}"
    if is_planned:
        return f"{number} more {nouns} like “{each.entry.what}”"
    return f"{number} {nouns} such as “{each.entry.what}” ({noise(each.entry)})"
