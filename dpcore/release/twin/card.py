"""The card of a private twin: what was measured, what is proved of it, what it was paid from."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy

from dpcore.guarantee import Adjacency
from dpcore.release.certificate import NOISE, Certificate
from dpcore.release.mechanism import PROFILE
from dpcore.release.twin.mechanism import Counting
from dpcore.rounding import raised

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
UNPROTECTED = (
    "the description of the columns: names, ranges, lists",
    "the number of records n, which the twin has, too",
    "the time and memory that it took, and its date",
    "which data set it was, and who had it made",
    "other rows of the same person: one row is one unit",
    "what was measured on the records apart from this twin",
)


def card(facts: Mapping[str, Any]) -> Certificate:
    """The card of these facts, with all that follows from them, and its hash.

    Parameters
    ----------
    facts : mapping
        released, budget, mechanism, records, hashes, ledger and attack, as plain data.
    """
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
    epsilon = mechanism.epsilon(budget["delta"])
    return {
        "claim": (
            f"The twin is ({raised(budget['epsilon'], 6):g}, {raised(budget['delta'], 6):g})-"
            f"differentially private: {adjacency.difference}, a record being "
            f"{facts['ledger']['person_unit']}."
        ),
        "follows": FOLLOWS,
        "proof": {
            "epsilon": epsilon,
            "delta": budget["delta"],
            "adjacency": str(adjacency),
            "neighbours": adjacency.meaning,
            "mu": mechanism.mu,
            "profile": [{"epsilon": each, "delta": mechanism.delta(each)} for each in PROFILE],
            "measured": f"{MEASURED} {PAIRS}" if mechanism.weight else MEASURED,
            "squared_sensitivity": mechanism.squared_sensitivity,
            "noise_multiplier": mechanism.noise_multiplier,
            "noise": NOISE,
            "accountant": "Gaussian DP, exact",
            "by": list(THEOREMS),
            "keeps_the_budget": bool(epsilon <= budget["epsilon"]),
        },
        "unprotected": list(UNPROTECTED),
    }
