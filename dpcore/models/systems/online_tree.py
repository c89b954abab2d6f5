"""Online learning from sums that a binary tree keeps (Agarwal and Singh 2017; survey [51]).

Records come in T rounds, each record in one. After round t the learner sees the sum of all
gradients so far, G_t, and moves to w = -G_t/β, drawn into the ball ‖w‖ ≤ R (follow the regularised
leader, logistic loss). A binary tree keeps the sums: every node holds that of the rounds below it
and one draw of Gaussian noise, and G_t is put together from at most one node a level (Dwork, Naor,
Pitassi and Rothblum 2010; Chan, Shi and Song 2011).

Sensitivity. ‖x‖ ≤ 1, so a record's gradient is at most 1 long. It lies in one node of each of the
h = log₂ T + 1 levels: blanked out, Δ = √h; replaced, Δ = 2√h. Later gradients depend on what was
released before, not on the record itself; for Gaussian noise such an adaptive stream costs no more
than one fixed beforehand. So the whole stream of models is one Gaussian mechanism, μ = Δ/σ.
The number of records is public, and a blank one keeps its place in its round.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np

from dpcore.guarantee import Adjacency, Edition, PrivacyBudget, Standing, Status
from dpcore.models.model import (
    Array,
    Model,
    ModelTraining,
    NoisePlan,
    gaussian_noise,
    judged_by,
    linear_scores,
    rounded_up,
)
from dpcore.models.records import BLANK, Records, RecordShape

ROUNDS = 256
LEVELS = ROUNDS.bit_length()
RADIUS = 20.0
BY = "Gaussian mechanism on an adaptive stream (Denisov et al. 2022, Theorem 2.1), analytic"


def sensitivity(adjacency: Adjacency) -> float:
    """Δ of all nodes of the tree together, rounded up."""
    moved = 2.0 if adjacency is Adjacency.REPLACE_ONE else 1.0
    return rounded_up(moved * math.sqrt(LEVELS))


def plan(shape: RecordShape, budget: PrivacyBudget, adjacency: Adjacency) -> NoisePlan:
    noise = gaussian_noise("all sums of the tree", sensitivity(adjacency), budget)
    settings = {"rounds": ROUNDS, "radius R": RADIUS, "β": _damping(shape, noise.scale)}
    return NoisePlan([noise], settings, by=BY)


def _damping(shape: RecordShape, sigma: float) -> float:
    """β: a round's records times the curvature 1/4, or more to keep noise within R."""
    curvature = 0.25 * shape.size / ROUNDS
    return math.hypot(curvature, sigma * math.sqrt(0.5 * LEVELS * shape.dimension) / RADIUS)


def rows(records: Records) -> Array:
    """Unit rows with a constant, of norm at most 1 together; zero of a blank record; (n, d + 1)."""
    constant = (records.labels != BLANK).astype(float)[:, None]
    return np.asarray(np.hstack([records.rows(), constant]) * math.sqrt(0.5))


def gradients(x: Array, signs: Array, weights: Array) -> Array:
    """Sum over records of the logistic loss's gradients, for each row of `weights`; (fits, d)."""
    from scipy.special import expit

    slopes = expit(-(weights @ x.T) * signs) * signs
    return np.asarray(-(slopes @ x))


@cache
def nodes(rounds: int) -> tuple[tuple[int, ...], ...]:
    """For each prefix of rounds, the nodes whose sums make it up, numbered leaves first."""
    start, places = [0], rounds
    while places > 1:
        start.append(start[-1] + places)
        places //= 2
    prefixes = []
    for done in range(1, rounds + 1):
        parts: list[int] = []
        position = 0
        for level in range(len(start) - 1, -1, -1):
            if done >> level & 1:
                parts.append(start[level] + (position >> level))
                position += 1 << level
        prefixes.append(tuple(parts))
    return tuple(prefixes)


@cache
def membership() -> Array:
    """Whether a node is part of a prefix, 0 or 1, (rounds, nodes)."""
    result = np.zeros((ROUNDS, 2 * ROUNDS - 1))
    for done, parts in enumerate(nodes(ROUNDS)):
        result[done, list(parts)] = 1.0
    return result


def prefix_noise(generator: np.random.Generator, dimension: int) -> Array:
    draws = generator.standard_normal((2 * ROUNDS - 1, dimension))
    return np.asarray(membership() @ draws)


def learn(training: ModelTraining) -> Array:
    """The mean of the second half of all models, (calibrations, runs, d + 1)."""
    x = rows(training.train)
    mean = np.zeros((len(training.calibrations), training.runs, x.shape[1]))
    for number, (_, weights) in enumerate(stream(x, training.train.signs, training)):
        if number >= ROUNDS // 2:
            mean += weights / (ROUNDS - ROUNDS // 2)
        training.progress((number + 1) / ROUNDS, f"round {number + 1} of {ROUNDS}")
    return mean


def stream(x: Array, signs: Array, training: ModelTraining) -> Iterator[tuple[Array, Array]]:
    """The release and its weights after each round; all noise is drawn here.

    `x` are the `rows` of the records in their order, and `signs` ±1; both are 0 of a blank record.
    """
    k, runs, d = len(training.calibrations), training.runs, x.shape[1]
    noise = np.stack([prefix_noise(draw, d) for draw in training.generators])
    sigma = training.scales[:, None, None]
    damping = np.array([calibration.settings["β"] for calibration in training.calibrations])
    damping = damping[:, None, None]
    summed, weights = np.zeros((k, runs, d)), np.zeros((k, runs, d))
    edges = np.linspace(0, len(x), ROUNDS + 1).astype(int)
    for number in range(ROUNDS):
        part = slice(edges[number], edges[number + 1])
        flat = gradients(x[part], signs[part], weights.reshape(-1, d))
        summed += flat.reshape(k, runs, d)
        noisy = summed + sigma * noise[:, number]
        weights = -noisy / damping
        weights /= np.maximum(1.0, np.linalg.norm(weights, axis=2, keepdims=True) / RADIUS)
        yield noisy, weights


def scores(learned: Array, records: Records) -> Array:
    """The score of each record, (k, runs, n)."""
    return linear_scores(rows(records), learned)


MODEL = Model(
    key="online-tree",
    title="Online learning, tree sums",
    system="Private online linear optimisation, Agarwal and Singh [51] (survey III-A-3)",
    paper="Agarwal and Singh 2017",
    words="one pass with sums kept in a tree",
    idea="Records come one after the other; a tree of blurred sums tells the model where to go.",
    editions={
        Edition.SOUND: Standing(
            claim=(
                "(ε, δ) for the whole stream of models, at nearly the regret of learning without "
                "noise."
            ),
            proof=(
                "(ε, δ) for all models together by one Gaussian mechanism on the tree's sums. A "
                "record is in one node of each level."
            ),
            status=Status.PROVED,
        ),
    },
    plan=plan,
    learn=learn,
    judge=judged_by(scores),
    scores=scores,
    limits=("Each record is seen once; what is judged is the mean of the later models.",),
)
