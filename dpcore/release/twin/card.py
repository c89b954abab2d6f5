"""The card of a private twin: what was measured, what is proved of it, what it was paid from."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy

from dpcore.errors import reject
from dpcore.guarantee import Adjacency
from dpcore.release.certificate import NOISE, ONE_PERSON, ONE_ROW, Certificate, Record, above_zero
from dpcore.release.mechanism import PROFILE
from dpcore.release.twin.mechanism import Counting
from dpcore.words import at_most

FORMAT = "dpcore twin 1"
MEASURED = (
    "For each column, how many records are in each cell of its values by the outcome's two; a "
    "number's range is cut at public places."
)
PAIRS = (
    "Then, for each pair of columns, in how many records both lie on one side of a cut, less in "
    "how many they do not; cuts follow from the noisy counts."
)
THEOREMS = (
    "one record adds 1 to one cell of each table, and 1 or -1 to each pair (docs/release.md)",
    "rounding whole sums with noise is post-processing of Gaussian noise (docs/release.md)",
    "adaptive composition of Gaussian DP (Dong, Roth and Su 2022, Corollary 2)",
    "exact privacy profile of the Gaussian mechanism (Balle and Wang 2018, Theorem 8)",
)
FOLLOWS = (
    "The twin is drawn from the noisy sums and public values alone. Whatever is computed from "
    "it, however often, is post-processing and costs nothing more. What is measured on the real "
    "records is not."
)
ONE_ROW_BY_LOTS = (
    "one row of each person counts, chosen by that person's lots alone (dpcore/datasets/persons.py)"
)


def one_row_of(record: Record) -> Record:
    """What one record of a table is to its twin."""
    return Record(None if record.rows is None else 1)


def _unprotected(record: Record) -> list[str]:
    has_as = "has, too" if record.rows is None else "has as records"
    return [
        "the description of the columns: names, ranges, lists",
        f"the number of {record.noun} n, which the twin {has_as}",
        "the time and memory that it took, and its date",
        "which data set it was, and who had it made",
        ONE_ROW if record.rows is None else ONE_PERSON[0],
        "what was measured on the records apart from this twin",
    ]


def card(facts: Mapping[str, Any]) -> Certificate:
    """The card of these facts, with all that follows from them, and its hash."""
    import dpcore

    versions = {
        "dpcore": dpcore.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
    known = {**facts, "versions": versions}
    document = {"format": FORMAT, "facts": known, **derived(known)}
    return Certificate({**document, "hash": Certificate(document).hash})


def derived(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What follows from facts without data: claim and proof."""
    mechanism, budget = Counting(**facts["mechanism"]), facts["budget"]
    adjacency = Adjacency(mechanism.adjacency)
    epsilon = above_zero(mechanism.epsilon(budget["delta"]), budget["delta"])
    record = Record.in_facts(facts)
    if record != one_row_of(record):
        raise reject("rows of a person", record.rows, "1: one row of each counts")
    being, by = facts["ledger"]["person_unit"], list(THEOREMS)
    if record.rows is not None:
        being, by = f"{being}, of whom one row counts, chosen by lots", [ONE_ROW_BY_LOTS, *by]
    return {
        "claim": (
            f"The twin is ({at_most(budget['epsilon'], 6)}, {at_most(budget['delta'], 6)})-"
            f"differentially private: {adjacency.difference}, a record being "
            f"{being}."
        ),
        "follows": FOLLOWS,
        "proof": {
            "epsilon": epsilon,
            "delta": budget["delta"],
            "adjacency": str(adjacency),
            "neighbours": record.neighbours(adjacency),
            "mu": mechanism.mu,
            "profile": [{"epsilon": each, "delta": mechanism.delta(each)} for each in PROFILE],
            "measured": f"{MEASURED} {PAIRS}" if mechanism.weight else MEASURED,
            "squared_sensitivity": mechanism.squared_sensitivity,
            "noise_multiplier": mechanism.noise_multiplier,
            "noise": NOISE,
            "accountant": "Gaussian DP, exact",
            "by": by,
            "keeps_the_budget": bool(epsilon <= budget["epsilon"]),
        },
        "unprotected": _unprotected(record),
    }
