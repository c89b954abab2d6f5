"""Records blurred one by one, as in paper 002: each message is private, and so is the model.

A contributor sends q̃ = x + u and p̃ = y x + v, with u and v from N(0, σ² I). All messages together
reveal no more about one record than its own message does, since no other depends on it. Under
replace-one, ‖x - x′‖² + ‖y x - y′ x′‖² of this Gaussian mechanism is convex in every argument, so
‖x‖ = ‖x′‖ = 1 and y y′ = ±1; it is then largest for x′ = -x and y′ = y, where both terms are 4.
A record that is blanked out is x = 0, which is one of the possible replacements.

Σ q̃ q̃ᵀ - n σ² I is unbiased; the paper minimises with Σ q̃ q̃ᵀ, whose n σ² I is a ridge of a size
that nobody chose. Its own theorem about the model takes the minimiser for a constant, and
conditions on noise that the neighbouring record's own terms depend on: nothing here relies on it.

Source: paper 002 (Fukuchi, Tran and Sakuma 2017), algorithms 1 and 2 and corollary 1; the scale of
its noise is illegible in the available text.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpcore.erm.method import Training
from dpcore.erm.quadratic import minimisers
from dpcore.words import spaced

Array = NDArray[np.floating]

SENSITIVITY = 2.0 * math.sqrt(2.0) * (1.0 + 1e-15)
"""Sensitivity of (x, y x), any record replaced by any other; ‖x‖ ≤ 1 and |y| ≤ 1."""

BLOCK = 1 << 16


def release(training: Training) -> Array:
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
