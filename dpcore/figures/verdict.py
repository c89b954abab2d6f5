"""The cost and the promise of one method at one ε, in one sentence."""

from __future__ import annotations

import math

import pandas as pd

from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.evaluation.clinic.groups import MIN
from dpcore.evaluation.scoring.metrics import accuracy_interval
from dpcore.figures.cost import Cost
from dpcore.figures.quality import ACCURACY, Quality
from dpcore.guarantee import STATUS_NAMES
from dpcore.words import at_most, plain, spaced

ROUGH = 0.03  # half a 95 % interval from which on the test set's own spread is reported
ROUGH_ERROR = 0.05  # the same limit for an error, as a share of it


def headline(row: pd.Series, *, subject: str, cost: Cost, guess: float, records_are: str) -> str:
    """How good the model is, how good without privacy, and whether the promise holds."""
    quality = cost.quality
    result = quality.words.result.format(
        value=quality.shown(cost.value),
        records=records_are,
        unit=f" {quality.measure.unit}" if quality.measure.unit else "",
    )
    sentence = f"At ε = {plain(row['epsilon'])} {subject} {result}; {cost.without}."
    sentence += not_better(row, quality, cost.value, cost.baseline, guess)
    model = ModelAtEpsilon.of(row)
    return sentence if model.is_proved else f"{sentence} {standing(model)}"


def not_better(
    row: pd.Series, quality: Quality, value: float, baseline: float, guess: float
) -> str:
    """That the model is no better than a guess, and the one without privacy neither; or ""."""
    if not quality.measure.reaches(guess, value):
        return ""
    guessing = f"{quality.words.guessing} ({quality.shown(guess)})"
    if quality.measure.reaches(guess, baseline):
        return f" Neither is better than {guessing}.{_areas(row, quality)}"
    is_same = quality.difference(value, guess) == 0.0
    return f" That is {'no better' if is_same else 'worse'} than {guessing}."


def _areas(row: pd.Series, quality: Quality) -> str:
    """How both rank, where accuracy does not tell what they have learned; or ""."""
    value, baseline = (row.get(name, math.nan) for name in ("auc", "auc_baseline"))
    if quality.column != ACCURACY.column or pd.isna(value) or pd.isna(baseline):
        return ""
    return f" By AUC they have {plain(value)} and {plain(baseline)}; a coin has 0.5."


def standing(model: ModelAtEpsilon) -> str:
    """What is proved instead of a model's ε."""
    source = f"δ = {plain(model.delta)}, {model.neighbours.difference}, {model.accountant}"
    certified = model.certified_epsilon
    certificate = (
        "No ε is certified for it."
        if math.isnan(certified)
        else "What is certified for the noise that is added is "
        f"ε = {at_most(certified)} ({source})."
    )
    status = STATUS_NAMES.get(model.status, model.status).capitalize()
    return f"{status}: ε = {plain(model.epsilon)} is not proved here. {model.reason} {certificate}"


def rough_count(per_1000: float, most: float, records: int) -> str:
    """Range of a count of 1,000 on new records, as "66 to 190"; empty where it is not rough."""
    among = round(records * most / 1000.0)
    if among == 0:
        return ""
    share = min(1.0, max(0.0, per_1000 / most))
    low, high = (most * end for end in accuracy_interval(share, among))
    if max(per_1000 - low, high - per_1000) <= 1000.0 * ROUGH:
        return ""
    return f"{spaced(math.floor(low))} to {spaced(math.ceil(high))}"


def few_cases(positive: float, records: int) -> str:
    """That missed cases rest on few people, in one sentence; empty where they do not."""
    if math.isnan(positive):
        return ""
    cases = round(positive * records)
    if cases >= MIN:
        return ""
    return (
        f"Only {cases} of the {spaced(records)} test records are cases: too few to count misses by."
    )


def few_records(
    value: float,
    between: tuple[float, float],
    records: int,
    quality: Quality = ACCURACY,
) -> str:
    """The roughness of a small test set's results, in one sentence; empty where it is not small."""
    low, high = between
    if high - low <= 2.0 * (ROUGH if quality.share else ROUGH_ERROR * value):
        return ""
    return (
        f"Only {spaced(records)} test records: on new ones, the {quality.named(value)} without "
        f"privacy may be {quality.ends(low, high)} (95 % interval)."
    )
