"""Whether risks are right: of the people with a risk of 20 %, 20 % should have the condition.

Four answers on test records, for many models at once. The reliability curve compares the mean risk
with the observed share in bins of about as many people each. The expected calibration error is the
mean distance between the two. The slope is b of the logistic regression logit P(y = 1) = a + b s on
the model's log odds s (Cox 1958): below 1 the risks are too extreme. The intercept is "calibration
in the large": a of logit P(y = 1) = a + s, with the slope held at 1; above 0 the risks are too low
(Steyerberg 2019, chapter 15; Van Calster et al. 2019).

Each bin's distance is too large by sampling alone, so that a perfect model has an error above 0.
The debiased error takes off the expected excess (Kumar, Liang and Ma 2019, of their ℓ1 error): with
d the distance and s² the variance of the observed share, it is the mean of |N(d, s²)| less d, known
in closed form where they resample. As the measured distance stands for d, something is left: .47 s
of the .80 s by which a perfect model is wrong; and at most .10 s too much is taken off.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.erm import recalibration
from dpcore.erm.method import Array
from dpcore.errors import InvalidInput, whole
from dpcore.words import spaced

BINS = 10
MAX_BINS = 1_000
BLOCK_ENTRIES = 2**18
"""Risks judged at once."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RiskCalibration:
    """State how well the risks of k models agree with what happened to m people."""

    # (k,), of log odds; nan where no finite slope fits best: where the log odds separate the two
    # groups, or are all the same, or a group is empty, or a risk is 0 or 1
    slope: Floats
    # (k,), log odds to add to every risk; nan where a group is empty, or a risk is 0 or 1
    intercept: Floats
    error: Floats  # (k,), expected calibration error in [0, 1]
    debiased_error: Floats  # the same without the excess of sampling
    mean_risk: Floats  # (k, bins) in ascending order; nan of an empty bin. Equal risks share a bin
    observed: Floats
    people: NDArray[np.int64]


def risk_calibration(
    log_odds: Array, positive: NDArray[np.bool_], bins: int = BINS
) -> RiskCalibration:
    """Judge the risks 1/(1 + e^-s) of k models by their log odds s, (k, m). Not private."""
    count = whole("bins", bins, at_least=1, at_most=MAX_BINS)
    ill = np.asarray(positive, dtype=bool)
    people = len(ill)
    if not people:
        raise InvalidInput("There are 0 test records, but at least one must be there to judge by.")
    models = np.atleast_2d(np.asarray(log_odds, dtype=np.float64))
    if models.shape[1] != people:
        raise InvalidInput(
            f"log_odds has {spaced(models.shape[1])} columns, but it must have {spaced(people)}: "
            "one a person."
        )
    if np.isnan(models).any():
        raise InvalidInput("A model's log odds are no number, but they must be.")
    together = max(1, BLOCK_ENTRIES // people)
    blocks = [models[first : first + together] for first in range(0, len(models), together)]
    curves = [_curve(special.expit(block), ill, count) for block in blocks]
    risk, share, inside = (np.concatenate(part) for part in zip(*curves, strict=True))
    return RiskCalibration(
        np.concatenate([_slope(block, ill) for block in blocks]),
        np.concatenate([_intercept(block, ill) for block in blocks]),
        *_errors(risk, share, inside),
        risk,
        share,
        inside,
    )


def _curve(risks: Floats, ill: NDArray[np.bool_], bins: int) -> tuple[Floats, Floats, Floats]:
    """Mean risk, observed share and number of people in each bin, (k, bins) each."""
    order = np.argsort(risks, axis=1)
    ascending = np.take_along_axis(risks, order, axis=1)
    edges = np.quantile(ascending, np.linspace(0.0, 1.0, bins + 1)[1:-1], axis=1).T
    ends = np.zeros((len(risks), bins + 1), dtype=np.int64)
    ends[:, -1] = len(ill)
    for place, row in enumerate(ascending):
        ends[place, 1:-1] = np.searchsorted(row, edges[place], side="right")
    inside = np.diff(ends, axis=1)

    def means(values: Floats) -> Floats:
        sums = np.zeros((len(values), len(ill) + 1))
        np.cumsum(values, axis=1, out=sums[:, 1:])
        result = np.full(inside.shape, np.nan)
        totals = np.diff(np.take_along_axis(sums, ends, axis=1), axis=1)
        np.divide(totals, inside, out=result, where=inside > 0)
        return result

    return means(ascending), means(ill[order].astype(np.float64)), inside


def _errors(risk: Floats, share: Floats, inside: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The error and the debiased error, (k,) each."""
    filled = inside > 0
    weight = inside / inside.sum(axis=1, keepdims=True)
    measured = np.where(filled, np.abs(risk - share), 0.0)
    spread = np.sqrt(np.where(filled, share * (1.0 - share), 0.0) / np.maximum(inside, 1))
    ratio = np.divide(measured, spread, out=np.full_like(spread, np.inf), where=spread > 0.0)
    # The mean of |N(d, s²)| less d, over s.
    excess = math.sqrt(2.0 / math.pi) * np.exp(-0.5 * ratio**2)
    excess -= 2.0 * special.ndtr(-ratio) * np.where(np.isfinite(ratio), ratio, 0.0)
    error = (weight * measured).sum(axis=1)
    return error, np.maximum(error - (weight * spread * excess).sum(axis=1), 0.0)


def _slope(log_odds: Floats, ill: NDArray[np.bool_]) -> Floats:
    """The slope b of logit P = a + b s by maximum likelihood, (k,)."""
    result = np.full(len(log_odds), np.nan)
    sick, healthy = log_odds[:, ill], log_odds[:, ~ill]
    if not sick.size or not healthy.size:
        return result
    # In one dimension there is a finite maximum exactly where the two groups overlap (Albert and
    # Anderson 1984).
    overlap = (healthy.max(axis=1) > sick.min(axis=1)) & (sick.max(axis=1) > healthy.min(axis=1))
    chosen = np.flatnonzero(overlap & np.isfinite(log_odds).all(axis=1))
    if not len(chosen):
        return result
    largest = np.abs(log_odds[chosen]).max(axis=1, keepdims=True)
    values = log_odds[chosen] / largest  # whose squares neither overflow nor vanish
    width = values.std(axis=1, keepdims=True)
    standard = (values - values.mean(axis=1, keepdims=True)) / width
    design = np.stack([np.ones_like(standard), standard], axis=1)
    theta, done = _likeliest(design, np.zeros_like(standard), ill)
    with np.errstate(over="ignore"):
        slope = theta[:, 1] / width[:, 0] / largest[:, 0]
    result[chosen] = np.where(done & np.isfinite(slope), slope, np.nan)
    return result


def _intercept(log_odds: Floats, ill: NDArray[np.bool_]) -> Floats:
    """The intercept a of logit P = a + s by maximum likelihood, (k,)."""
    result = np.full(len(log_odds), np.nan)
    chosen = np.flatnonzero(np.isfinite(log_odds).all(axis=1))
    if not len(chosen) or ill.all() or not ill.any():
        return result
    share = np.mean(ill)
    start = special.logit(share) - np.median(log_odds[chosen], axis=1)
    offset = log_odds[chosen] + start[:, None]
    theta, done = _likeliest(np.ones_like(offset)[:, None], offset, ill)
    result[chosen] = np.where(done, start + theta[:, 0], np.nan)
    return result


def _likeliest(
    design: Floats, offset: Floats, ill: NDArray[np.bool_]
) -> tuple[Floats, NDArray[np.bool_]]:
    """`recalibration.fit` of one trial a person, without a prior."""
    outcomes = np.broadcast_to(ill.astype(np.float64), offset.shape)
    columns = design.shape[1]
    free = np.zeros((len(design), columns, columns))
    return recalibration.fit(design, offset, np.ones_like(offset), outcomes, free)
