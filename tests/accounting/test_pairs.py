"""Dominating pairs: masses against quadrature, atoms, and that the pairs do dominate."""

import math
from functools import lru_cache
from itertools import combinations

import numpy as np
import pytest
from scipy import integrate, stats

from dpcore.accounting import pairs

GAUSSIANS = [
    *(
        pairs.PoissonGaussian(multiplier, rate, adding)
        for multiplier, rate in ((1.0, 0.01), (0.3, 0.2), (2.0, 1.0))
        for adding in (False, True)
    ),
    pairs.PoissonGaussianReplaced(1.0, 0.05),
    pairs.PoissonGaussianReplaced(0.5, 0.7),
    pairs.PoissonGaussianReplaced(2.0, 1.0),
]


def both_densities(pair, x):
    assert isinstance(pair, pairs.PoissonGaussian | pairs.PoissonGaussianReplaced)
    q, nu = pair.rate, pair.multiplier
    middle, right = stats.norm.pdf(x, 0, nu), stats.norm.pdf(x, 1, nu)
    mixed = (1 - q) * middle + q * right
    if isinstance(pair, pairs.PoissonGaussianReplaced):
        return mixed, (1 - q) * middle + q * stats.norm.pdf(x, -1, nu)
    return (middle, mixed) if pair.adding else (mixed, middle)


@pytest.mark.parametrize("pair", GAUSSIANS, ids=str)
def test_masses_agree_with_the_integral_over_where_the_loss_lies(pair):
    low, high = pair.reach(math.log(1e-12))
    grid = np.linspace(low, high, 9)
    upper, lower, below, above = pair.masses(grid)
    x = np.linspace(-25.0, 25.0, 200_001)
    p, q = both_densities(pair, x)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.nan_to_num(np.log(p) - np.log(q), nan=0.0)
    for left, right, found_p, found_q in zip(grid, grid[1:], upper, lower, strict=False):
        inside = (loss > left) & (loss <= right)
        assert found_p == pytest.approx(integrate.trapezoid(p * inside, x), abs=3e-4)
        assert found_q == pytest.approx(integrate.trapezoid(q * inside, x), abs=3e-4)
    assert upper.sum() + below + above == pytest.approx(1.0, abs=1e-12)
    assert max(below, above) <= 1.01e-12


@pytest.mark.parametrize("scale", [0.02, 0.7, 1.0, 4.0])
@pytest.mark.parametrize("parts", [1, 2, 7])
def test_laplace_atoms_on_and_off_the_grid_are_counted_once(scale, parts):
    top = 1.0 / scale
    for shift in (0.0, 0.3 * top / parts):
        grid = np.linspace(-top - top / parts, top + top / parts, 2 * parts + 3) + shift
        grid = np.concatenate(([-3.0 * top], grid, [3.0 * top]))
        upper, lower, below, above = pairs.LaplacePair(scale).masses(grid)
        assert (below, above) == (0.0, 0.0)
        assert upper.sum() == pytest.approx(1.0, abs=1e-14)
        assert lower.sum() == pytest.approx(1.0, abs=1e-14)
        # The atom's place is rounded up, so on a grid point it counts above it.
        place = pairs.LaplacePair(scale)._top()
        at_top = int(np.searchsorted(grid, place)) - 1
        assert upper[at_top] >= 0.5
        assert lower[int(np.searchsorted(grid, -place)) - 1] >= 0.5


def plane(axis, x, y, nu):
    """Density of normal noise ν around (x, y) on a square: one axis times the other."""
    return np.multiply.outer(stats.norm.pdf(axis, y, nu), stats.norm.pdf(axis, x, nu))


@pytest.mark.parametrize("angle", [0.0, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("size", [0.4, 1.0])
@pytest.mark.parametrize("factor", [0.5, 1.0, 1.7, 6.0])
def test_no_pair_of_values_in_the_plane_beats_the_opposite_ones(angle, size, factor):
    # The claim of the module docstring, by brute force in two dimensions.
    nu, q = 0.8, 0.3
    axis = np.linspace(-6.0, 6.0, 481)

    def density(u, v):
        return (1 - q) * plane(axis, 0.0, 0.0, nu) + q * plane(axis, u, v, nu)

    def divergence(p, r):
        return float(np.maximum(p - factor * r, 0.0).sum() * (axis[1] - axis[0]) ** 2)

    first = density(1.0, 0.0)
    second = density(size * math.cos(angle), size * math.sin(angle))
    worst = divergence(first, density(-1.0, 0.0))
    assert divergence(first, second) <= worst + 1e-6
    assert divergence(second, first) <= worst + 1e-6


def fixed_batch(records, batch, axis, nu):
    """Density in the plane of a batch's sum with noise ν; records of length 1/2."""
    batches = combinations(range(len(records)), batch)
    sums = [records[list(chosen)].sum(axis=0) for chosen in batches]
    return np.asarray(np.mean([plane(axis, *centre, nu) for centre in sums], axis=0))


@lru_cache(maxsize=8)
def fine_masses(pair):
    """Masses on a fine grid with 0 in it, which serve all factors."""
    low, high = pair.reach(math.log(1e-12))
    spacing = (high - low) / 200_000
    grid = np.arange(math.floor(low / spacing) - 1, math.ceil(high / spacing) + 2) * spacing
    return pair.masses(grid)


def curve_of(pair, factor):
    """H_x of a pair; within 1e-5."""
    upper, lower, below, above = fine_masses(pair)
    return float(np.maximum(upper - factor * lower, 0.0).sum()) + below + above


FACTORS = (0.2, 0.5, 0.8, 0.95, 1.0, 1.05, 1.2, 1.7, 3.0, 8.0)
TABLES = {
    "all alike but one": ([(1, 0), (-1, 0), (-1, 0), (-1, 0), (-1, 0)], (-1, 0)),
    "opposite among null ones": ([(1, 0), (0, 0), (0, 0), (0, 0), (0, 0)], (-1, 0)),
    "blanked out": ([(1, 0), (-1, 0), (-1, 0), (-1, 0), (-1, 0)], (0, 0)),
    "all over the plane": ([(1, 0), (-0.3, 0.9), (0, -1), (0.7, 0.7), (-1, 0)], (-0.6, -0.8)),
}


@pytest.mark.parametrize("batch", [1, 2, 4])
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("nu", [0.4, 1.5])
def test_batches_of_fixed_size_lie_below_their_pair_in_either_order(name, batch, nu):
    records, replacement = TABLES[name]
    before = 0.5 * np.array(records, dtype=float)
    after = before.copy()
    after[0] = 0.5 * np.array(replacement)
    axis = np.linspace(-2.0 - 6.0 * nu, 2.0 + 6.0 * nu, 401)
    p, q = (fixed_batch(table, batch, axis, nu) for table in (before, after))
    cell = (axis[1] - axis[0]) ** 2
    pair = pairs.FixedGaussian.replaced(nu, batch / len(records))
    attained, one_sided_fails = 0.0, False
    for factor in FACTORS:
        bound = curve_of(pair, factor)
        for one, other in ((p, q), (q, p)):
            result = float(np.maximum(one - factor * other, 0.0).sum()) * cell
            assert result <= bound + 1e-4
            if bound > 0.01:
                attained = max(attained, result / bound)
        # The pair of one order alone, as for add/remove, does not lie above the other order.
        alone = curve_of(pairs.PoissonGaussian(nu, batch / len(records)), factor)
        one_sided_fails |= float(np.maximum(q - factor * p, 0.0).sum()) * cell > alone + 2e-4
    if name == "all alike but one":
        assert attained == pytest.approx(1.0, abs=3e-3)
        assert one_sided_fails


BLANKED = {
    "the others opposite": [(1, 0), (-1, 0), (-1, 0), (-1, 0), (-1, 0)],
    "the others null": [(1, 0), (0, 0), (0, 0), (0, 0), (0, 0)],
    "the others alike": [(1, 0), (1, 0), (1, 0), (1, 0), (1, 0)],
    "all over the plane": [(1, 0), (-0.3, 0.9), (0, -1), (0.7, 0.7), (-1, 0)],
    "a short record": [(0.4, 0), (-1, 0), (-1, 0), (0, 1), (-1, 0)],
}


@pytest.mark.parametrize("batch", [1, 2, 4])
@pytest.mark.parametrize("name", BLANKED)
@pytest.mark.parametrize("nu", [0.4, 1.5])
def test_a_blanked_record_in_batches_of_fixed_size_lies_below_its_pairs(name, batch, nu):
    records = np.array(BLANKED[name], dtype=float)
    blank = records.copy()
    blank[0] = 0.0
    axis = np.linspace(-4.0 - 6.0 * nu, 4.0 + 6.0 * nu, 501)
    with_it, without = (fixed_batch(rows, batch, axis, nu) for rows in (records, blank))
    cell, rate = (axis[1] - axis[0]) ** 2, batch / len(records)
    for adding, one, other in ((False, with_it, without), (True, without, with_it)):
        pair = pairs.FixedGaussian.blanked(nu, rate, adding=adding)
        attained = []
        for factor in FACTORS:
            bound = curve_of(pair, factor)
            result = float(np.maximum(one - factor * other, 0.0).sum()) * cell
            assert result <= bound + 2e-4
            if bound > 0.02 and (factor >= 1.0) is not adding:
                attained.append(result / bound)
        if name == "the others opposite" and not adding:
            assert attained == pytest.approx(np.ones(len(attained)), abs=2e-2)
