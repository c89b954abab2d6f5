"""A data set's history as a table: what was spent, by whom, and the ε spent after each entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpcore.release.ledger.chain import LedgerEntry

if TYPE_CHECKING:
    import pandas as pd


def history_rows(entries: Sequence[LedgerEntry]) -> pd.DataFrame:
    """Entries of one data set as a table, in their order; each takes milliseconds to compute.

    Columns: ``entry`` (number), ``when`` (UTC), ``kind``, ``who``, ``what``, ``taken`` (the ε that
    is spent after it, at the cap's δ), ``cap`` (its ε), ``delta`` and ``hash``.
    """
    import pandas as pd

    rows = []
    for entry in entries:
        account = entry.account
        rows.append(
            {
                "entry": entry.number,
                "when": entry.at[:16].replace("T", " "),
                "kind": entry.kind,
                "who": entry.actor,
                "what": _what(entry),
                "taken": account.epsilon_spent(),
                "cap": account.epsilon,
                "delta": account.delta,
                "hash": entry.hash,
            }
        )
    return pd.DataFrame(rows)


def _what(entry: LedgerEntry) -> str:
    details = entry.details
    if entry.kind == "spent":
        spend = details["spend"]
        declared = ", declared, not checked" if "standing" in spend else ""
        return f"{details['purpose']} ({spend['kind']}{declared})"
    if entry.kind == "raised":
        return f"cap raised: {details['reason']}"
    if entry.kind == "attached":
        return f"certificate of entry {entry.document['refers']}"
    return f"begun; a record is {entry.account.terms.person_unit}"
