"""An account as a command line, as Python, and as a file for a diary."""

from __future__ import annotations

import hashlib
from datetime import timedelta

from dpcore.accounting.account import Account, Statement
from dpcore.controls.options import exactly
from dpcore.guarantee import Adjacency
from dpcore.questions.lines import joined
from dpcore.words import as_set, at_most

FILE = "account.csv"
LINE = 74
"""Most bytes in a line of a calendar, without its end."""


def command(account: Account) -> str:
    """The command line that gives the figures on screen, from the account's file."""
    adjacency = account.adjacency
    return joined(
        "python -m dpcore account",
        f"--file {FILE}",
        f"--epsilon {exactly(account.budget.epsilon)}",
        f"--delta {exactly(account.budget.delta)}",
        *([] if adjacency is Adjacency.ZERO_OUT else [f"--adjacency {adjacency}"]),
    )


def snippet(account: Account) -> str:
    """Python that gives the figures on screen."""
    entries = [
        "        {" + ", ".join(f"{name!r}: {_literal(cell)}" for name, cell in row.items()) + "},"
        for row in (entry.row() for entry in account.entries)
    ]
    return "\n".join(
        [
            "import dpcore",
            "",
            "statement = dpcore.account(",
            *(["    [", *entries, "    ],"] if entries else ["    [],"]),
            f"    epsilon={account.budget.epsilon!r},",
            f"    delta={account.budget.delta!r},",
            f"    adjacency={str(account.adjacency)!r},",
            ")",
            "guarantee = statement.guarantee",
            "print(guarantee.epsilon, guarantee.delta, guarantee.adjacency, guarantee.by)",
            "print(statement.left)",
            "",
        ]
    )


def _literal(cell: object) -> str:
    return repr(cell) if isinstance(cell, int | float) else repr(str(cell))


def calendar(statement: Statement) -> str:
    """Every day of the account as an all-day event (iCalendar, RFC 5545)."""
    budget, guarantee = statement.account.budget, statement.guarantee
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Epsilon Explorer//dpcore//EN"]
    for row in statement.table.to_dict("records"):
        stamp = row["day"].strftime("%Y%m%d")
        spent = at_most(row["epsilon_spent"], 4)
        description = (
            f"Then ε = {spent} of {as_set(budget.epsilon)} is spent at δ = "
            f"{as_set(budget.delta)} ({guarantee.by}, {guarantee.adjacency})."
        )
        name = hashlib.sha256(f"{stamp} {row['what']}".encode()).hexdigest()[:16]
        lines += [
            "BEGIN:VEVENT",
            f"UID:{name}@dpcore",
            f"DTSTAMP:{stamp}T000000Z",
            f"DTSTART;VALUE=DATE:{stamp}",
            f"DTEND;VALUE=DATE:{(row['day'] + timedelta(days=1)).strftime('%Y%m%d')}",
            f"SUMMARY:{_escaped(row['what'])}",
            f"DESCRIPTION:{_escaped(description)}",
            "TRANSP:TRANSPARENT",
            "END:VEVENT",
        ]
    return "".join(f"{_folded(line)}\r\n" for line in [*lines, "END:VCALENDAR"])


def _escaped(text: str) -> str:
    for mark in ("\\", ";", ","):
        text = text.replace(mark, f"\\{mark}")
    return text


def _folded(line: str) -> str:
    """The line folded at `LINE` bytes; each part after the first begins with a space."""
    parts: list[str] = []
    part = ""
    for letter in line:
        if len((part + letter).encode()) > LINE:
            parts, part = [*parts, part], ""
        part += letter
    return "\r\n ".join([*parts, part])
