"""InputPert: every contributor blurs their own record; paper 002's idea, sound and as printed.

As printed, records are blurred one by one: each message is private, and so is the model. One sends
q̃ = x + u and p̃ = y x + v, with u and v from N(0, σ² I). All messages together reveal no more
about one record than its own message does, since no other depends on it. Under replace-one, ‖x -
x′‖² + ‖y x - y′ x′‖² of this Gaussian mechanism is convex in every argument, so ‖x‖ = ‖x′‖ = 1 and
y y′ = ±1; it is then largest for x′ = -x and y′ = y, where both terms are 4. A record that is
blanked out is x = 0, which is one of the possible replacements.

Σ q̃ q̃ᵀ - n σ² I is unbiased; the paper minimises with Σ q̃ q̃ᵀ, whose n σ² I is a ridge of a size
that nobody chose. Its own theorem about the model takes the minimiser for a constant, and
conditions on noise that the neighbouring record's own terms depend on: nothing here relies on it.

Source: paper 002 (Fukuchi, Tran and Sakuma 2017), algorithms 1 and 2 and corollary 1; the scale of
its noise is illegible in the available text.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import ROUND_CEILING, Context

import numpy as np

from dpcore.erm import quadratic
from dpcore.erm.losses import LOSSES
from dpcore.erm.method import (
    SMALL_LAM,
    Array,
    Calibration,
    Method,
    Settings,
    Training,
    Trust,
    data_conditions,
)
from dpcore.erm.problem import Problem
from dpcore.erm.quadratic import Protocol, minimisers, sensitivity
from dpcore.errors import whole
from dpcore.guarantee import (
    Adjacency,
    Edition,
    Guarantee,
    PrivacyBudget,
    Standing,
    Status,
    proved_under,
    verdict,
)
from dpcore.mechanisms.gaussian import analytic_epsilon, classical_condition, classical_sigma
from dpcore.words import spaced

SENSITIVITY = 2.0 * math.sqrt(2.0) * (1.0 + 1e-15)
"""Sensitivity of (x, y x), any record replaced by any other; ‖x‖ ≤ 1 and |y| ≤ 1."""

BLOCK = 1 << 16


def _release_blurred(training: Training) -> Array:
    """Models from blurred records, shape (calibrations, runs, d).

    With u = σ ξ, Σ q̃ q̃ᵀ = XᵀX + σ (Xᵀξ + ξᵀX) + σ² ξᵀξ, so that one draw of ξ serves every ε.
    Runs never share a draw. Seeded: for exploration only.
    """
    training.check()
    problem, runs = training.problem, training.runs
    records, dimension = problem.records, problem.dimension
    features = problem.within(training.features)
    square, linear = features.T @ features, features.T @ training.labels
    sigma = training.scales
    scale = sigma[:, None, None]
    # An entry off the diagonal has variance σ²(Sᵢᵢ + Sⱼⱼ) + n σ⁴, and the Sᵢᵢ are n/d on average.
    width = 2.0 * sigma * np.sqrt(records * (2.0 + dimension * sigma**2))
    result = np.empty((len(sigma), runs, dimension))
    for run, generator in enumerate(training.generators):
        cross, noise_square = np.zeros((2, dimension, dimension))
        for start in range(0, records, BLOCK):
            part = features[start : start + BLOCK]
            draw = generator.standard_normal(part.shape)
            cross += part.T @ draw
            noise_square += draw.T @ draw
        if not training.noiseless:
            noise_square -= records * np.eye(dimension)
        blur = math.sqrt(records) * generator.standard_normal(dimension)
        result[:, run] = minimisers(
            problem,
            square + scale * (cross + cross.T) + scale**2 * noise_square,
            linear + sigma[:, None] * blur,
            width,
        )
        training.progress(
            (run + 1) / runs, f"blurred records, run {spaced(run + 1)} of {spaced(runs)}"
        )
    return result


NOBODY = "Nobody", "because it holds even against the server that reads your message"
MIXER = "A mixer", "who passes messages on in random order, without names, and keeps none"
ADDER = "Whoever adds the messages up", "and lets nobody see more than the sums"


def calibrate(draft: Calibration, settings: Settings) -> Calibration:
    if draft.edition is Edition.PUBLISHED:
        return _printed(draft)
    missing = whole("missing", settings.missing, at_least=0)
    return _sound(draft, min(missing, draft.problem.records - 1))


def _protocol(problem: Problem, budget: PrivacyBudget, missing: int) -> Protocol:
    return Protocol(problem.records, budget.epsilon, budget.delta, problem.adjacency, missing)


def _sound(draft: Calibration, missing: int) -> Calibration:
    problem, budget = draft.problem, draft.requested
    protocol, conditions = _protocol(problem, budget, missing), data_conditions(problem)
    stay = "" if missing == 0 else f", of whom {spaced(missing)} may stay away or tell their noise"
    by = (
        f"one Gaussian mechanism on the sums that contributors blur together{stay}; a single "
        f"message has ε = {_rounded_up(protocol.local_epsilon)}"
    )
    proof = proved_under(conditions, budget, problem.adjacency, by)
    moved = sensitivity(protocol.weight, problem.adjacency, problem.records)
    # Of several classes each has sums of its own, in the same message: μ² adds up.
    noise = protocol.share * math.sqrt(problem.records * problem.parts)
    return replace(
        draft,
        query="the sum of x xᵀ, and of y x beside it",
        sensitivity=moved,
        sigma=noise,
        model_noise=noise,
        conditions=conditions,
        claim=Guarantee(
            None,
            None,
            problem.adjacency,
            "paper 002",
            "Its ε and δ are lost in the text at hand, and this is another mechanism.",
        ),
        proof=proof,
        certified=proof,
        status=verdict(proof),
        gaussian_mu=math.nextafter(moved / protocol.sigma, math.inf),
        missing=missing,
    )


def _rounded_up(value: float) -> str:
    return f"{Context(3, ROUND_CEILING).create_decimal_from_float(value):f}"


def _printed(draft: Calibration) -> Calibration:
    """By corollary 1 alone: the requested ε is that of one message, and so of the model."""
    problem, budget = draft.problem, draft.requested
    moved = SENSITIVITY
    sigma = float(classical_sigma(budget.epsilon, budget.delta, moved))
    conditions = (classical_condition(budget.epsilon), *data_conditions(problem))
    by = (
        "corollary 1 of paper 002, the classical Gaussian mechanism on each message: local privacy "
        "only, which the model has through it"
    )
    proof = proved_under(conditions, budget, problem.adjacency, by)
    return replace(
        draft,
        query="x, and y x beside it, of every single record",
        sensitivity=moved,
        sigma=sigma,
        model_noise=sigma,
        conditions=conditions,
        claim=Guarantee(
            None,
            None,
            problem.adjacency,
            "Theorem 1 and corollary 1 of paper 002",
            "The ε and δ of both are lost in the text at hand.",
        ),
        proof=proof,
        certified=Guarantee(
            float(analytic_epsilon(sigma, budget.delta, moved)),
            budget.delta,
            problem.adjacency,
            "exact Gaussian curve of one message",
        ),
        status=verdict(proof),
        gaussian_mu=math.nextafter(moved / sigma, math.inf),
    )


def release(training: Training) -> Array:
    """Models from what contributors send, by edition; shape (calibrations, runs, d).

    Raises
    ------
    InvalidInput
        If the calibrations were made for another problem or other data.
    """
    printed = training.calibrations[0].edition is Edition.PUBLISHED
    return (_release_blurred if printed else quadratic.release)(training)


def trust(calibration: Calibration) -> tuple[Trust, ...]:
    """The ε against those who see sums, mixed messages, or a single message."""
    budget = calibration.requested
    if calibration.edition is Edition.PUBLISHED:
        return (Trust(*NOBODY, calibration.certified),)
    protocol = _protocol(calibration.problem, budget, calibration.missing)

    def message(epsilon: float, by: str) -> Guarantee:
        return Guarantee(epsilon, budget.delta, Adjacency.REPLACE_ONE, by)

    local, mixed = protocol.local_epsilon, protocol.shuffled_epsilon
    no_help = "" if mixed < local else ", which here hides nothing: it is a single message's own"
    return (
        Trust(*ADDER, calibration.proof),
        Trust(*MIXER, message(mixed, f"hiding among clones{no_help}")),
        Trust(*NOBODY, message(local, "exact Gaussian curve of one message")),
    )


METHOD = Method(
    key="inputpert",
    title="InputPert",
    paper="002 Fukuchi, Tran and Sakuma 2017, and in a sound form",
    idea="Every person blurs their own record before handing it in; the sums teach a model.",
    words="noise on every record",
    editions={
        Edition.PUBLISHED: Standing(
            claim="Local privacy for each message (corollary 1), and far more for the model "
            "(Theorem 1).",
            proof="Local privacy only: (ε, δ) for each message, and through it for the model, for "
            "ε < 1. Theorem 1 is not proved: its tail bound takes the minimiser for a constant, "
            "though it depends on the noise.",
            status=Status.PROVED,
        ),
        Edition.SOUND: Standing(
            claim="The paper's own theorem is not proved. Its tail bound takes the minimiser for a "
            "constant, though it depends on the noise.",
            proof="(ε, δ) for the sums, by one Gaussian mechanism; whoever sees single messages is "
            "held to a far larger ε.",
            status=Status.PROVED,
        ),
    },
    rule=calibrate,
    release=release,
    limits=(
        "The loss is replaced by a quadratic, which costs some accuracy without privacy, too.",
        "The sound edition's promise is about the sums: a server that sees single messages learns "
        "more. As published, every message keeps the promise by itself, which takes √n times as "
        "much noise.",
    ),
    losses=LOSSES,
    all_classes=True,
    trust=trust,
    lam_share=SMALL_LAM,
    own_ridge=True,
)
