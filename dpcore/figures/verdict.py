"""What one method costs and promises at one ε, in one sentence."""

from __future__ import annotations

import math

import pandas as pd

from dpcore.evaluation.metrics import accuracy_interval
from dpcore.figures.words import at_most, percent, plain, points
from dpcore.guarantee import Adjacency, Status

ROUGH = 0.03  # half a 95 % interval from which on the test set's own spread is said


def verdict(row: pd.Series, *, title: str, without_privacy: float, majority: float) -> str:
    """Accuracy, what privacy takes from it, and whether the promise holds.

    Parameters
    ----------
    row : pandas.Series
        One row of a table of `dpcore.evaluation.curves`.
    title : str
        Display name of the method.
    without_privacy, majority : float
        Accuracy in [0, 1] of the model without privacy, and of always giving the commoner answer.

    Returns
    -------
    str
        With ε, δ, adjacency and accountant. Where nothing is proved at this ε it says why, and what
        is certified for the noise that is added.
    """
    return (
        f"**{title} at ε = {plain(row['epsilon'])}:** {percent(row['accuracy'])} right, "
        f"{_cost(row['accuracy'], without_privacy, majority)}; {_promise(row)}"
    )


def _cost(accuracy: float, without_privacy: float, majority: float) -> str:
    difference = points(accuracy - without_privacy)
    words = "as many as without privacy"
    if difference != points(0.0):
        more = "more" if accuracy > without_privacy else "fewer"
        words = f"{difference[1:]} points {more} than without privacy"
    if accuracy <= majority:
        than = "no better" if points(accuracy - majority) == points(0.0) else "worse"
        words += f" and {than} than always giving the commoner answer ({percent(majority)})"
        if without_privacy <= majority:
            words += "; without privacy it is no better than that either"
    return words


def _promise(row: pd.Series) -> str:
    stands = (
        f"δ = {plain(row['delta'])}, {Adjacency(row['adjacency']).difference}, {row['accountant']}"
    )
    if row["status"] == Status.PROVED:
        return f"the promise is proved ({stands})."
    certified = row["certified_epsilon"]
    held = (
        "No ε is certified for it."
        if pd.isna(certified)
        else "What is certified for the noise that is added is "
        f"ε = {at_most(certified)} ({stands})."
    )
    return (
        f"{row['status']}: ε = {plain(row['epsilon'])} is not proved here. {row['reason']} {held}"
    )


def rough_count(per_1000: float, records: int) -> str:
    """Where a count of 1,000 may lie on new records, as "66 to 190"; empty where it is not rough.

    Parameters
    ----------
    per_1000 : float
        Of 1,000, measured as a share of all test records.
    records : int
        Number of test records.

    Returns
    -------
    str
        The 95 % interval (Wilson), rounded outwards to whole records, where it reaches further
        than 3 in 100 to one side.
    """
    share = min(1.0, max(0.0, per_1000 / 1000.0))
    low, high = accuracy_interval(share, records)
    if max(share - low, high - share) <= ROUGH:
        return ""
    return f"{math.floor(1000.0 * low):,} to {math.ceil(1000.0 * high):,}"


def few_records(accuracy: float, records: int) -> str:
    """How little a small test set says, in one sentence; empty where it is not small.

    Parameters
    ----------
    accuracy : float
        Of the model without privacy, in [0, 1].
    records : int
        Number of test records.
    """
    low, high = accuracy_interval(accuracy, records)
    if high - low <= 2.0 * ROUGH:
        return ""
    return (
        f"There are only {records:,} test records: judged from them alone, the {percent(accuracy)} "
        f"without privacy may be anything from {percent(low, 0)} to {percent(high, 0)} on new "
        f"records (95 % interval). So every accuracy and every count of 1,000 here is rough."
    )
