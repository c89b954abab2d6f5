"""Independent ways to the figures the tests hold: integrals, mpmath, closed forms."""

import csv
import json
import math
from pathlib import Path

import mpmath
import numpy as np
from scipy import integrate, special, stats

from dpcore.accounting.accountants import certify, lower_bound
from dpcore.guarantee import Adjacency

with (Path(__file__).parents[1] / "reference" / "vectors.csv").open(newline="") as file:
    ROWS = list(csv.DictReader(file))


def reference(*kinds):
    """Parameters and value of every row of these kinds."""
    rows = [row for row in ROWS if row["kind"] in kinds]
    assert rows
    return [(json.loads(row["params"]), float(row["value"])) for row in rows]


def rdp_poisson(multiplier, rate, order):
    """RDP of a Poisson-sampled Gaussian, by its definition, at 40 digits."""
    with mpmath.workdps(40):
        nu, q, a = mpmath.mpf(multiplier), mpmath.mpf(rate), mpmath.mpf(order)
        if order == int(order):
            total = mpmath.fsum(
                mpmath.binomial(int(order), k)
                * (1 - q) ** (int(order) - k)
                * q**k
                * mpmath.e ** (mpmath.mpf(k * (k - 1)) / (2 * nu**2))
                for k in range(int(order) + 1)
            )
        else:
            points = [-30 * nu, *mpmath.linspace(-4 * nu, a + 4 * nu, 13), a + 30 * nu]
            total = mpmath.quad(
                lambda z: (
                    (1 - q + q * mpmath.e ** ((2 * z - 1) / (2 * nu**2))) ** a
                    * mpmath.npdf(z, 0, nu)
                ),
                points,
            )
        return mpmath.log(total) / (a - 1)


def densities(multiplier, rate, adjacency):
    """Densities of the output with the record and without it (or with its opposite)."""
    q, nu = rate, multiplier

    def mixture(x, mean):
        return (1 - q) * stats.norm.pdf(x, 0, nu) + q * stats.norm.pdf(x, mean, nu)

    if adjacency is Adjacency.REPLACE_ONE:
        return lambda x: mixture(x, 1.0), lambda x: mixture(x, -1.0)
    return lambda x: mixture(x, 1.0), lambda x: stats.norm.pdf(x, 0, nu)


def delta_of_one(multiplier, rate, adjacency, epsilon):
    """δ(ε) of one Poisson-sampled Gaussian step, the worse direction, by quadrature."""
    one, other = densities(multiplier, rate, adjacency)
    reach = 12.0 * multiplier + 1.0
    values = []
    for p, q in ((one, other), (other, one)):
        grid = np.linspace(-reach, reach, 40_001)
        gap = np.maximum(p(grid) - math.exp(epsilon) * q(grid), 0.0)
        values.append(float(integrate.simpson(gap, x=grid)))
    return max(values)


def bounds(event, delta, adjacency):
    """(lower, upper) bound on the exact ε at δ by privacy loss distributions."""
    return lower_bound(event, delta, adjacency), certify(event, delta, adjacency, "pld").bound


def gaussian_delta(epsilon, mu):
    """δ(ε) of μ-Gaussian DP."""
    first = special.log_ndtr(-epsilon / mu + mu / 2)
    second = epsilon + special.log_ndtr(-epsilon / mu - mu / 2)
    return float(math.exp(first) * -math.expm1(second - first))
