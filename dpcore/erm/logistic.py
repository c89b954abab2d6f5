"""Logistic regression on few columns for many data sets, by damped Newton steps; not private."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]

MAX_STEPS = 100
LONGEST_STEP = 5.0
"""Most that one Newton step moves any log odds: far from the minimum its length is no guide."""
CONVERGED = 1e-8
"""The last step moves log odds by less; the error that is left is of the order of its square."""
MIN_SHARE = 2.0**-30
"""Smallest share of a Newton step that is tried."""
LEVELLING = 1e-12
"""Relative addition to the diagonal of Hessians, so that none is singular to rounding."""


def fit(
    design: Array, offset: Array, trials: Array, successes: Array, precision: Array
) -> tuple[Array, NDArray[np.bool_]]:
    """The θ that minimises Σⱼ (Nⱼ softplus(ηⱼ) - tⱼ ηⱼ) + ½ θᵀPθ with η = offset + Xθ.

    For k data sets: Xᵀ (k, q, m), N and t (k, m), P positive semidefinite (k, q, q). Gives θ (k, q)
    and where the steps came to an end (k,); elsewhere there may be no minimum.
    """
    sets, columns, _ = design.shape
    theta = np.zeros((sets, columns))
    eta = offset.copy()
    objective = _objective(eta, theta, trials, successes, precision)
    done = np.zeros(sets, dtype=bool)
    diagonal = np.arange(columns)
    for _ in range(MAX_STEPS):
        risks = special.expit(eta)
        gradient = (design @ (trials * risks - successes)[:, :, None])[:, :, 0]
        gradient += np.einsum("kqr,kr->kq", precision, theta)
        curvature = (trials * risks * (1.0 - risks))[:, None] * design
        hessian = curvature @ design.transpose(0, 2, 1) + precision
        level = hessian[:, diagonal, diagonal].max(axis=1) * LEVELLING + np.finfo(float).tiny
        hessian[:, diagonal, diagonal] += level[:, None]
        step = -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        move = (step[:, None] @ design)[:, 0]
        longest = np.abs(move).max(axis=1)
        done |= longest < CONVERGED
        if done.all():
            return theta + step, done  # near the minimum a Newton step squares the error
        slope = np.einsum("kq,kq->k", gradient, step)
        share = np.where(done, 0.0, np.minimum(1.0, LONGEST_STEP / np.maximum(longest, 1e-300)))
        while True:
            tried = theta + share[:, None] * step
            tried_eta = eta + share[:, None] * move
            value = _objective(tried_eta, tried, trials, successes, precision)
            rounding = 1e-14 * (1.0 + np.abs(objective)) * (share > 0.0)
            worse = value > objective + 1e-4 * share * slope + rounding
            if not worse.any():
                break
            share = np.where(worse, 0.5 * share, share)
            share[share < MIN_SHARE] = 0.0
        theta, eta, objective = tried, tried_eta, value
    return theta, done


def _objective(
    eta: Array, theta: Array, trials: Array, successes: Array, precision: Array
) -> Array:
    penalty = 0.5 * np.einsum("kq,kqr,kr->k", theta, precision, theta)
    softplus = np.log1p(np.exp(-np.abs(eta))) + np.maximum(eta, 0.0)
    return np.asarray((trials * softplus - successes * eta).sum(axis=1) + penalty)
