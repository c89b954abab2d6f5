"""The function that `import dpcore` offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dpcore.accounting.decimals import decimal, named_below
from dpcore.errors import InvalidInput, number, one_of
from dpcore.guarantee import Adjacency, PrivacyBudget, default_delta

if TYPE_CHECKING:
    from dpcore.accounting.account import Statement


def account(
    entries: Sequence[Mapping[str, Any]],
    *,
    epsilon: float,
    delta: float | None = None,
    records: int = 10_000,
    adjacency: str = "zero-out",
) -> Statement:
    """Trainings, releases and what was spent before, composed together under one budget.

    Parameters
    ----------
    entries : sequence of mapping
        The fields of `dpcore.accounting.entries.AccountEntry` for each: its kind ("training",
        "release", "laplace", "model", "spent"), how many, its first day, and its noise, ε or share
        of the budget, of a model also its method, of a table its records and columns. Their order
        does not matter.
    epsilon : float
        The budget, above 0.
    delta : float, optional
        In (0, 1); by default the rule in `records`.
    records : int
        People in the data, for the rule of δ.
    adjacency : str
        "zero-out", "replace-one" or "add-remove": the one for which all of it holds.

    Returns
    -------
    Statement
        The guarantee for all entries together, that of each, what is left, and ε after each day.

    Raises
    ------
    InvalidInput
        Naming the entry, the field, the value and what is allowed.

    Examples
    --------
    >>> import dpcore
    >>> weekly = {"kind": "release", "count": 52, "noise": 20}
    >>> statement = dpcore.account([weekly], epsilon=3)
    >>> round(statement.guarantee.epsilon, 4)
    1.4236
    """
    from dpcore.accounting.account import Account, state
    from dpcore.accounting.entries import AccountEntry

    read = []
    for place, entry in enumerate(entries, start=1):
        try:
            read.append(AccountEntry.of(entry))
        except InvalidInput as refused:
            raise InvalidInput(f"Entry {place}: {refused}") from None
    number("epsilon", epsilon, above=0.0)
    chosen = default_delta(int(number("records", records, at_least=1))) if delta is None else delta
    return state(
        Account(
            PrivacyBudget(named_below(decimal(epsilon)), chosen),
            tuple(read),
            Adjacency(one_of("adjacency", adjacency, tuple(Adjacency))),
        )
    )
