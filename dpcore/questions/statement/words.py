"""Say whether a statement of privacy from elsewhere stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpcore.accounting.elsewhere import StatedSteps
from dpcore.words import as_set, at_least, at_most, counted

STANDS, TOO_LOW, UNPROVED, UNCLAIMED = "stands", "too low", "cannot be proved", "proved"
NOISES = {
    "gaussian": "noise multiplier",
    "laplace": "Laplace scale",
    "discrete-gaussian": "discrete Gaussian σ",
    "discrete-laplace": "discrete Laplace scale",
}
MOST_READ = 3
"""Kinds of steps that are said in words."""


def read_as(steps: Sequence[StatedSteps]) -> str:
    """How steps were read, in a sentence."""
    said = [
        (f"{counted(each.epochs, 'epoch')}, which are " if each.epochs else "")
        + f"{counted(each.times, 'step')} with {NOISES[each.law]} {as_set(each.noise)}, "
        + ("each " if each.times > 1 else "")
        + (
            "on all records"
            if each.rate == 1.0
            else f"on a share of {as_set(each.rate)} of the records"
        )
        for each in steps[:MOST_READ]
    ]
    more = len(steps) - MOST_READ
    said += [f"{counted(more, 'further kind')} of steps"] if more > 0 else []
    return f"Read as {'; then '.join(said)}."


def sentence(row: dict[str, Any]) -> str:
    """The verdict in one or two sentences, with δ and the neighbours."""
    at = f"δ = {as_set(row['delta'])}, {row['adjacency']}, by {row['proved_by']}"
    claimed = "" if row["claimed"] is None else f"ε = {as_set(row['claimed'])} is claimed"
    why = f" {row['why']}" if row["why"] else ""
    if row["proved"] is None:
        return f"No ε can be proved{f', and {claimed}' if claimed else ''}.{why}"
    proved = f"ε = {at_most(row['proved'])} is proved ({at})"
    return {
        STANDS: f"The claim stands: {claimed}, and {proved}.{why}",
        TOO_LOW: (
            f"The claim is too low: {claimed}, but at least ε = {at_least(row['lost'] or 0.0)} is "
            f"lost, and {proved}.{why}"
        ),
        UNPROVED: (
            f"The claim cannot be proved: {claimed}, but {proved}. Neither a proof of the claim "
            f"nor an attack beyond it is at hand.{why}"
        ),
        UNCLAIMED: f"Of these steps {proved}.{why}",
    }[row["verdict"]]
