"""Made-up records by a description alone, nobody's data, and what noise costs on them.

Numbers are even over their public ranges, levels equally likely, and the outcome follows a linear
model of all columns with chance; none decides alone. Draws come from a seed, as nothing here is
secret. A rehearsal says what a plan's noise does at its n and columns. Its figures come from
several made-up tables, as noise costs more on one than on another. Made-up records are not real
ones: the cost on them is a hint at the cost there, and how well the columns predict the real
outcome they cannot say.

After a release `noise_alone` says, by what was released, what its noise alone does to predictions;
no ε is spent. A step of the training is v ← 0.9 v + ∇F(w) + ξ + λw, w ← w - ηv, with noise ξ of a
known size s in each coordinate. About the weights w that were released, ∇F changes by H = mean of
p(1 - p) xxᵀ
times the change of the weights, p being the risk that the model states of a row x. Along each
eigenvector of H the noise of every step decays by itself, which sums up exactly: the covariance of
the last weights. s, η, λ and T are the certificate's. The rows of H are made up evenly over the
description's ranges, as those of the records are nobody's to know.

Where risks were corrected, other weights are drawn by that covariance, scores of the made-up rows
are counted anew with the noise that the counts had, with outcomes by the released risks, and curves
are fitted to them, as at the release: the error of a prediction is the root mean square over these.

Made-up rows are spread more than real records mostly are, so that H damps the noise less along the
real ones: for people like the records the interval is too wide rather than too narrow. For people
unlike them it may be too narrow (docs/release.md has what was measured).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpcore.datasets.encoding import encode
from dpcore.datasets.own.description import described
from dpcore.datasets.preparation import used_columns
from dpcore.datasets.schema import Entry
from dpcore.erm.methods.dpgd import MOMENTUM
from dpcore.erm.recalibration import KNOTS, curves
from dpcore.errors import whole
from dpcore.progress import Progress, numbered, section, silent
from dpcore.release import grid, risk_counts
from dpcore.release.grid import Array
from dpcore.release.mechanism import Mechanism, descend
from dpcore.release.model import ReleasedModel, entry_of, preparation_for
from dpcore.release.plan import ReleasePlan
from dpcore.release.table import harmless_columns, written
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd


RIGHT = 0.82
"""Share of the records that the best rule is right for."""
STRONGEST, SCALED_BY = 20.0, 10_000
"""Greatest standard deviation of the log odds; most records that they are scaled by."""
HALVINGS, ROUNDING = 40, 1e-9
"""Steps of the search for the scale; the least spread of a part that counts."""
MAX_RECORDS = 1_000_000
MAX_LEARNED, JUDGED, TABLES = 4_000, 4_000, 5
"""Records learned from at most, with as much less noise; records judged on; made-up tables."""


def stand_in(columns: str, records: int, *, seed: int = 0) -> str:
    """A CSV of made-up records, which costs nothing: no record was looked at."""
    entry = entry_of(columns)
    described(harmless_columns(columns))  # refuses names or levels that would become one
    count = whole("records", records, at_least=1, at_most=MAX_RECORDS)
    frame, labels = made_up_records(entry, count, np.random.default_rng(seed))
    return written(columns, frame, labels)


def made_up_records(
    entry: Entry, count: int, generator: np.random.Generator
) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Made-up records with an outcome of two, and their labels of ±1; nothing is unknown.

    The log odds of an outcome are a sum of one part for each column, linear in its features with
    drawn weights. No part varies more than twice as much as another, whatever the kind of its
    column. The sum is scaled so that the best rule is right for `RIGHT` of the records, whatever
    its distribution, unless it would vary more than `STRONGEST`.
    """
    frame = _frame(entry, count, generator)
    log_odds = _scaled(_sum_of_parts(entry, frame, generator))
    labels = np.where(generator.random(len(log_odds)) < expit(log_odds), 1.0, -1.0)
    return frame, labels


def _sum_of_parts(
    entry: Entry, frame: pd.DataFrame, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Log odds before they are scaled, with a part for each column."""
    preparation = replace(preparation_for("plain"), intercept=False)
    total = np.zeros(len(frame))
    for column in used_columns(entry, preparation):
        features = encode(frame, slice(None), (column,), preparation)[1]
        part = features @ generator.normal(size=features.shape[1])
        part -= part.mean()
        size, spread = generator.uniform(1.0, 2.0), float(part.std())
        if spread > ROUNDING:  # else all records are alike in it
            total += size / spread * part
    return total


def _scaled(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log odds by which the best rule is right for `RIGHT` of the records, as nearly as can be."""
    sizes = np.abs(log_odds[:SCALED_BY])
    low, high = 0.0, STRONGEST / (float(log_odds.std()) or 1.0)
    for _ in range(HALVINGS):
        factor = (low + high) / 2.0
        is_enough = float(expit(factor * sizes).mean()) >= RIGHT
        low, high = (low, factor) if is_enough else (factor, high)
    return high * log_odds


def _frame(entry: Entry, count: int, generator: np.random.Generator) -> pd.DataFrame:
    import pandas as pd

    columns: dict[str, object] = {}
    for column in entry.columns:
        if column.kind == "category":
            levels = generator.integers(len(column.levels), size=count)
            columns[column.name] = pd.Categorical.from_codes(
                levels, categories=pd.Index(column.levels)
            )
        elif column.kind == "number":
            columns[column.name] = generator.uniform(*column.bounds, size=count)
        else:
            columns[column.name] = generator.integers(2, size=count).astype(float)
    return pd.DataFrame(columns)


@dataclass(frozen=True)
class Rehearsed:
    """Shares of made-up records that are classified rightly, one for each made-up table."""

    without_noise: tuple[float, ...]
    with_noise: tuple[float, ...]  # on the same tables

    @property
    def without(self) -> float:
        return float(np.mean(self.without_noise))

    @property
    def mean(self) -> float:
        return float(np.mean(self.with_noise))

    @property
    def losses(self) -> tuple[float, ...]:
        """What the noise costs on each table; below 0 where it happens to help."""
        pairs = zip(self.without_noise, self.with_noise, strict=True)
        return tuple(without - noisy for without, noisy in pairs)


def rehearse(plan: ReleasePlan, *, seed: int = 0, progress: Progress = silent) -> Rehearsed:
    """Train as planned on several made-up tables, with noise and without, and judge on others."""
    shares = [
        _shares(plan, np.random.default_rng((seed, number)), report)
        for number, report in enumerate(numbered(progress, TABLES, "table"))
    ]
    without_noise, with_noise = zip(*shares, strict=True)
    return Rehearsed(without_noise, with_noise)


def _shares(
    plan: ReleasePlan, generator: np.random.Generator, progress: Progress
) -> tuple[float, float]:
    """The shares without noise and with it, on one made-up table."""
    entry = entry_of(plan.columns)
    count = min(plan.path.records, MAX_LEARNED)
    frame, labels = made_up_records(entry, count + JUDGED, generator)
    rows = grid.rows(entry, frame, preparation_for(plan.features))
    mechanism = replace(
        plan.mechanism, sigma=max(1, plan.mechanism.sigma * count // plan.path.records)
    )
    path, signed = replace(plan.path, records=count), rows[:, :count] * labels[:count]

    def right(noise: float, report: Progress) -> float:
        def draw(sigma: int, number: int) -> list[int]:
            drawn: Array = np.rint(noise * sigma * generator.normal(size=number))
            return [int(each) for each in drawn]

        weights = descend(signed, mechanism, path, draw, report)
        scores = plan.path.scorer.scores(rows[:, count:], weights)
        return float(np.mean((scores > 0.0) == (labels[count:] > 0.0)))

    return right(0.0, section(progress, 0.0, 0.5)), right(1.0, section(progress, 0.5, 0.5))


ERRORS = 2.2
"""Standard errors to either side, for 95 of 100 releases whose interval holds what the same
training says without noise. By 1.96 it held 92 to 93 of 100 even for made-up records, of which H is
the right one: H and the curves are made of released weights, which have noise in them."""
ROWS, RUNS, SEED = 2_000, 100, 0
"""Made-up rows; releases that are drawn where risks are corrected; public, as is the seed."""
WIDEST = 1_000
"""Most features that it is computed for, for the time that they take."""
PEOPLE = 10_000
"""How many people's predictions are drawn at a time."""
NOT_KNOWN = "not known"
NO_CERTIFICATE = "no certificate that holds says how the model was trained"
NO_RISKS = "its scores are no risks"
NETWORK = "it is a network"
TOO_WIDE = f"it has more than {spaced(WIDEST)} features"
LARGEST = 1e6
"""Bound on a weight and its noise: no training comes near it, and no curve fits such scores."""
BEYOND = "its weights or their noise are beyond those of any training"
NOT_STATED = "its certificate does not state the training"


@dataclass(frozen=True, eq=False)
class NoiseAlone:
    """How other releases would differ from one, but for their noise alike."""

    model: ReleasedModel
    root: Array  # of the covariance of its weights, (d, d)
    # Where risks were corrected: weights (d, runs), knots and log odds (runs, knots).
    runs: tuple[Array, Array, Array] | None = None

    def intervals(self, frame: pd.DataFrame) -> Array:
        """The least and the most risk that noise alone explains, for 95 of 100 releases; (n, 2)."""
        rows = grid.rows(self.model.entry, frame, self.model.preparation)
        log_odds = self.model.scores(frame)
        parts = range(0, len(log_odds), PEOPLE)
        errors = [
            self._errors(rows[:, begin : begin + PEOPLE], log_odds[begin : begin + PEOPLE])
            for begin in parts
        ]
        error = ERRORS * np.concatenate([np.zeros(0), *errors])
        return np.asarray(expit(np.stack([log_odds - error, log_odds + error], axis=1)))

    def _errors(self, rows: Array, log_odds: Array) -> Array:
        """The standard error of each row's log odds."""
        if self.runs is None:
            return np.asarray(np.linalg.norm(self.root.T @ rows, axis=0))
        squares = np.zeros(len(log_odds))
        for weights, knots, values in zip(self.runs[0].T, *self.runs[1:], strict=True):
            squares += (np.interp(weights @ rows, knots, values) - log_odds) ** 2
        return np.asarray(np.sqrt(squares / len(self.runs[1])))


def noise_alone(model: ReleasedModel, certificate: Mapping[str, Any] | None) -> NoiseAlone | str:
    """What noise alone does to a model's predictions, or why that is not known.

    The certificate is the model's, and was checked and holds.
    """
    if model.hidden:
        return NETWORK
    if model.loss != "logistic":
        return NO_RISKS
    if certificate is None:
        return NO_CERTIFICATE
    if len(model.weights) > WIDEST:
        return TOO_WIDE
    try:
        training = certificate["facts"]["training"]
        mechanism = Mechanism(**certificate["facts"]["mechanism"])
        lam, rate, records = (training[name] for name in ("lam", "learning_rate", "records"))
        counted = training.get("count_sums", 0)
    except (LookupError, TypeError):
        return NOT_STATED
    if model.risks is not None and not counted:
        return NOT_STATED
    draw = np.random.default_rng(SEED)
    rows = grid.rows(model.entry, made_up_records(model.entry, ROWS, draw)[0], model.preparation)
    noise = mechanism.sigma / mechanism.units / records
    with np.errstate(over="ignore", invalid="ignore"):
        curvature = _curvature(rows, np.array(model.weights))
        root = noise * _root(curvature, mechanism.steps - counted, rate, lam)
    if not np.abs(root).max() < LARGEST or np.abs(model.weights).max() > LARGEST:
        return BEYOND
    if model.risks is None:
        return NoiseAlone(model, root)
    return NoiseAlone(model, root, _drawn(model, root, rows, mechanism, counted, records, draw))


def _curvature(rows: Array, weights: Array) -> Array:
    """H of the made-up rows at the released weights, shape (d, d)."""
    scores = grid.products(rows, weights)
    return np.asarray((rows * (expit(scores) * expit(-scores))) @ rows.T / rows.shape[1])


def _root(curvature: Array, steps: int, rate: float, lam: float) -> Array:
    """A root of the covariance of the last weights, the noise of a step being 1; shape (d, d)."""
    eigenvalues, vectors = np.linalg.eigh(curvature)
    slope = np.maximum(eigenvalues, 0.0) + lam
    velocity, weights = np.ones_like(slope), np.full_like(slope, -rate)
    squares = np.zeros_like(slope)
    for _ in range(steps):  # what is left of a step's noise, from the last step to the first
        squares += weights * weights
        velocity = MOMENTUM * velocity + slope * weights
        weights = weights - rate * velocity
    return np.asarray(vectors * np.sqrt(squares))


def _drawn(
    model: ReleasedModel,
    root: Array,
    rows: Array,
    mechanism: Mechanism,
    sums: int,
    records: int,
    draw: np.random.Generator,
) -> tuple[Array, Array, Array]:
    """Weights, knots and log odds of other releases, with their corrections drawn anew."""
    released = np.array(model.weights)
    assert model.risks is not None
    risks = expit(risk_counts.log_odds(grid.products(rows, released), model.risks))
    weights = released[:, np.newaxis] + root @ draw.standard_normal((len(root), RUNS))
    knots = np.stack([risk_counts.knots_of(model.scorer, each) for each in weights.T])
    counts = np.stack(
        [_counts_of_scores(*each, risks) for each in zip(weights.T @ rows, knots, strict=True)]
    )
    sigma = risk_counts.noise(mechanism, sums)
    noisy = records / ROWS * counts + sigma * draw.standard_normal(counts.shape)
    return weights, knots, curves(noisy, knots, np.array(sigma)).log_odds


def _counts_of_scores(scores: Array, knots: Array, risks: Array) -> Array:
    """Expected counts of made-up rows between knots, without and with the outcome; (2, knots)."""
    lower = np.clip(np.searchsorted(knots, scores, side="right") - 1, 0, KNOTS - 2)
    share = np.clip((scores - knots[lower]) / (knots[lower + 1] - knots[lower]), 0.0, 1.0)
    return np.stack(
        [
            np.bincount(lower, (1.0 - share) * mass, KNOTS)
            + np.bincount(lower + 1, share * mass, KNOTS)
            for mass in (1.0 - risks, risks)
        ]
    )
