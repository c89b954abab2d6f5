"""Noise for pure ε: the Laplace scale, and the Laplace distribution on vectors.

The vector-Laplace mechanism adds z ∈ ℝᵈ with density ∝ exp(-‖z‖₂/b), b = Δ₂/ε (Chaudhuri,
Monteleoni and Sarwate 2011, Algorithm 1). Shifting the answer by at most Δ₂ changes the log density
by at most Δ₂/b = ε, which is the whole proof. In polar coordinates the density of the norm r is
∝ r^(d-1) exp(-r/b), so it is Gamma(d, scale b); the direction is uniform on the sphere and
independent of it.

Only the sensitivity depends on the adjacency: pass the Δ for the adjacency in use.
"""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from dpcore.errors import number, reject, whole
from dpcore.mechanisms._arrays import Array, apply, checked


@overload
def laplace_scale(epsilon: float, sensitivity: float = 1.0) -> float: ...
@overload
def laplace_scale(epsilon: ArrayLike, sensitivity: ArrayLike = 1.0) -> Any: ...
def laplace_scale(epsilon: ArrayLike, sensitivity: ArrayLike = 1.0) -> Any:
    """Scale b = Δ/ε of (ε, 0)-private Laplace noise, rounded up.

    For independent Laplace noise in each coordinate Δ is the L1 sensitivity; for `vector_laplace`
    it is the L2 sensitivity. The adjacency is the one under which Δ was derived.

    Parameters
    ----------
    epsilon : float or array
        Above 0.
    sensitivity : float or array
        Δ, in the query's units, above 0.

    Returns
    -------
    float or array
        b, in the query's units; a float when both arguments are numbers. The standard deviation of
        scalar Laplace noise is √2 b.

    Raises
    ------
    InvalidInput
        If an argument is outside its range, or shapes do not broadcast.

    References
    ----------
    Dwork, McSherry, Nissim and Smith 2006, Theorem 1; Chaudhuri, Monteleoni and Sarwate 2011,
    Algorithm 1.
    """

    def formula(epsilon: Array, sensitivity: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.nextafter(sensitivity / epsilon, np.inf)

    return apply(
        formula,
        checked("epsilon", epsilon, above=0.0),
        checked("sensitivity", sensitivity, above=0.0),
    )


def vector_laplace(
    generator: np.random.Generator, dimension: int, scale: float, size: int = 1
) -> Array:
    """Draws with density ∝ exp(-‖z‖₂/scale) in ℝᵈ.

    For exploration only. Whoever knows the seed of the generator knows the noise, and the low bits
    of noise drawn in double precision reveal the answer beneath it (Mironov 2012);
    a release needs entropy from the operating system and a sampler that is exact on a grid.

    Parameters
    ----------
    generator : numpy.random.Generator
        Source of randomness.
    dimension : int
        d, at least 1.
    scale : float
        b = Δ₂/ε, in the query's units, above 0; see `laplace_scale`. It carries the adjacency.
    size : int
        Number of independent draws, at least 0.

    Returns
    -------
    array of shape (size, dimension)
        The noise, in the query's units.

    Raises
    ------
    InvalidInput
        If an argument is outside its range or `generator` is not a NumPy generator.

    References
    ----------
    Chaudhuri, Monteleoni and Sarwate 2011, Algorithm 1.
    """
    if not isinstance(generator, np.random.Generator):
        raise reject("generator", generator, "a numpy.random.Generator")
    dimension = whole("dimension", dimension, at_least=1)
    scale = number("scale", scale, above=0.0)
    size = whole("size", size, at_least=0)
    direction = generator.standard_normal((size, dimension))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    norm = generator.gamma(dimension, scale, (size, 1))
    result: Array = direction * norm
    return result
