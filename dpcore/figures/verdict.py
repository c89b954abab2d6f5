"""The cost and the promise of one method at one ε, in one sentence."""

from __future__ import annotations

import math

import pandas as pd

from dpcore.evaluation.scoring.metrics import accuracy_interval
from dpcore.figures.quality import ACCURACY, Quality
from dpcore.figures.words import at_most, plain
from dpcore.guarantee import Adjacency, Status

ROUGH = 0.03  # half a 95 % interval from which on the test set's own spread is reported
ROUGH_ERROR = 0.05  # the same limit for an error, as a share of it


def verdict(
    row: pd.Series,
    *,
    title: str,
    without_privacy: float,
    majority: float,
    quality: Quality = ACCURACY,
) -> str:
    """Accuracy or error, what privacy costs of it, and whether the promise holds.

    Parameters
    ----------
    row : pandas.Series
        One row of a table of `dpcore.evaluation.curves`.
    title : str
        Display name of the method.
    without_privacy, majority : float
        Accuracy in [0, 1], or error, of the model without privacy and of always giving the
        commoner answer, or the mean.
    quality : Quality
        The measure: accuracy or error.

    Returns
    -------
    str
        With ε, δ, adjacency and accountant. Where nothing is proved at this ε it gives the reason,
        and the ε certified for the noise that is added.
    """
    value = row[quality.column]
    return (
        f"{title} at ε = {plain(row['epsilon'])}: "
        f"{quality.result(value)}, "
        f"{_cost(value, without_privacy, majority, quality)}; {_promise(row)}"
    )


def _cost(value: float, without_privacy: float, guess: float, quality: Quality) -> str:
    words, reaches = quality.words, quality.measure.reaches
    sentence = f"{words.same} without privacy"
    if quality.signed(value - without_privacy) != quality.signed(0.0):
        than = words.more if value > without_privacy else words.less
        sentence = f"{quality.amount(value - without_privacy)} {than} without privacy"
    if reaches(guess, value):
        is_same = quality.signed(value - guess) == quality.signed(0.0)
        sentence += (
            f" and {'no better' if is_same else 'worse'} than {words.guessing} "
            f"({quality.shown(guess)})"
        )
        if reaches(guess, without_privacy):
            sentence += "; without privacy it is no better than that either"
    return sentence


def _promise(row: pd.Series) -> str:
    source = (
        f"δ = {plain(row['delta'])}, {Adjacency(row['adjacency']).difference}, {row['accountant']}"
    )
    if row["status"] == Status.PROVED:
        return f"the promise is proved ({source})."
    certified = row["certified_epsilon"]
    certificate = (
        "No ε is certified for it."
        if pd.isna(certified)
        else "What is certified for the noise that is added is "
        f"ε = {at_most(certified)} ({source})."
    )
    return (
        f"{row['status']}: ε = {plain(row['epsilon'])} is not proved here. {row['reason']} "
        f"{certificate}"
    )


def rough_count(per_1000: float, records: int) -> str:
    """Range of a count of 1,000 on new records, as "66 to 190"; empty where it is not rough.

    Parameters
    ----------
    per_1000 : float
        The count, measured as a share of all test records.
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


def few_records(
    value: float,
    between: tuple[float, float],
    records: int,
    quality: Quality = ACCURACY,
    rough: str = "",
) -> str:
    """The roughness of a small test set's results, in one sentence; empty where it is not small.

    Parameters
    ----------
    value : float
        Accuracy in [0, 1], or error, of the model without privacy.
    between : (float, float)
        Its 95 % interval on new records.
    records : int
        Number of test records.
    quality : Quality
        The measure: accuracy or error.
    rough : str
        The results that are rough, in place of the quality's own words.
    """
    low, high = between
    if high - low <= 2.0 * (ROUGH if quality.share else ROUGH_ERROR * value):
        return ""
    return (
        f"There are only {records:,} test records: judged from them alone, the "
        f"{quality.named(value)} without privacy may be anything from {quality.ends(low, high)} on "
        f"new records (95 % interval). So every {rough or quality.words.rough} here is rough."
    )
