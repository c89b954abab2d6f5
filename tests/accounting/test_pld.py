"""Privacy loss distributions: between the truth's lower bound and the library's upper bound."""

import math

import mpmath
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as library
from scipy import fft, stats

from dpcore.accounting import pairs, pld, pld_grid
from dpcore.accounting.pld_grid import LossDistribution
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_epsilon
from tests.accounting.oracles import delta_of_one

STEPS = [
    *(pairs.PoissonGaussian(1.0, 0.01, adding) for adding in (False, True)),
    *(pairs.PoissonGaussian(0.1, 0.3, adding) for adding in (False, True)),
    pairs.PoissonGaussian(30.0, 1.0),
    pairs.PoissonGaussian(2.0, 1e-6),
    pairs.PoissonGaussianReplaced(0.7, 0.1),
    pairs.PoissonGaussianReplaced(50.0, 1.0),
    pairs.LaplacePair(0.05),
    pairs.LaplacePair(3.0),
]


def exact_delta(pair, epsilon):
    """δ(ε) of one step at 40 digits."""
    with mpmath.workdps(40):
        e, cdf = mpmath.mpf(epsilon), mpmath.ncdf
        if isinstance(pair, pairs.LaplacePair):
            top = 1 / mpmath.mpf(pair.scale)
            if e >= top:
                return mpmath.mpf(0)
            if e >= -top:
                return 1 - mpmath.e ** ((e - top) / 2)
            return 1 - mpmath.e**e
        assert isinstance(pair, pairs.PoissonGaussian | pairs.PoissonGaussianReplaced)
        nu, q, x = mpmath.mpf(pair.multiplier), mpmath.mpf(pair.rate), mpmath.e**e

        def tail(point, mean):
            return cdf(-(point - mean) / nu)

        def mixed(point, mean):
            return (1 - q) * tail(point, 0) + q * tail(point, mean)

        if isinstance(pair, pairs.PoissonGaussianReplaced):
            inner = (1 - q) * mpmath.sinh(e / 2) / (q * mpmath.e ** (-1 / (2 * nu**2)))
            place = nu**2 * (e / 2 + mpmath.asinh(inner))
            return mixed(place, 1) - x * mixed(place, -1)
        if pair.adding:
            ratio = (1 / x - (1 - q)) / q
            if ratio <= 0:
                return mpmath.mpf(0)
            place = nu**2 * mpmath.log(ratio) + mpmath.mpf(1) / 2
            # The loss falls along the axis: what is left of the place is in.
            return cdf(place / nu) - x * ((1 - q) * cdf(place / nu) + q * cdf((place - 1) / nu))
        ratio = (x - (1 - q)) / q
        if ratio <= 0:
            return 1 - x
        place = nu**2 * mpmath.log(ratio) + mpmath.mpf(1) / 2
        return mixed(place, 1) - x * tail(place, 0)


@pytest.mark.slow("composes many distributions of the privacy loss")
@pytest.mark.parametrize("pair", STEPS, ids=str)
@pytest.mark.parametrize("share", [0.5, 0.02])
def test_a_step_on_the_grid_dominates_the_step_at_every_grid_point(pair, share):
    # Between grid points the discrete curve is the chord in e^ε of a convex one.
    interval = max(share * pair.spread(), 1e-9)
    low, high = pair.reach(math.log(1e-13))
    start, masses, above = pld_grid._on_grid(pair, low, high, interval, False)
    lower_start, lower_masses, _ = pld_grid._on_grid(pair, low, high, interval, True)
    assert start == lower_start
    grid = (start + np.arange(len(masses))) * interval
    for k in np.unique(np.linspace(1, len(grid) - 2, 9).astype(int)):
        exact = exact_delta(pair, float(grid[k]))
        terms = -np.expm1(grid[k] - grid[k + 1 :])
        upper = math.fsum(masses[k + 1 :] * terms) + above
        lower = math.fsum(lower_masses[k + 1 :] * terms)
        # Evaluating the discrete curve here is itself off by rounding.
        assert upper * (1.0 + 1e-14) + 1e-300 >= exact
        assert lower * (1.0 - 1e-14) <= exact + 1e-300
        # And it loses little: its own safety, and the tail it gives up.
        assert upper - exact <= 2e-13 * (1.0 + abs(grid[k])) + 2.0 * above + 1e-13


@pytest.mark.parametrize("sigma", [0.05, 1.0, 40.0, 1e4, 1e7])
@pytest.mark.parametrize("steps", [1, 100, 1_000_000])
@pytest.mark.parametrize("delta", [1e-100, 1e-12, 1e-5, 0.3])
def test_unsampled_gaussians_lie_just_above_the_exact_epsilon(sigma, steps, delta):
    exact = float(analytic_epsilon(sigma / math.sqrt(steps), delta))
    result = pld.compose([pairs.PoissonGaussian(sigma, 1.0)], [steps], delta=delta).epsilon(delta)
    assert exact * (1.0 - 1e-11) <= result
    assert result <= exact * 1.005 + 1e-5 / sigma * math.sqrt(steps) + 1e-9


@pytest.mark.parametrize("sigma", [1.0, 40.0])
@pytest.mark.parametrize("delta", [1e-40, 1e-5, 0.1])
def test_the_optimistic_distribution_lies_just_below(sigma, delta):
    exact = float(analytic_epsilon(sigma / 10.0, delta))
    pair = pairs.PoissonGaussian(sigma, 1.0)
    result = pld.compose([pair], [100], delta=delta, optimistic=True).epsilon(delta)
    assert 0.98 * exact - 1e-4 <= result <= exact


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE])
def test_one_sampled_step_is_its_integral(adjacency):
    steps: list[pairs.Pair] = [pairs.PoissonGaussianReplaced(0.9, 0.2)]
    if adjacency is Adjacency.ADD_REMOVE:
        steps = [pairs.PoissonGaussian(0.9, 0.2, adding) for adding in (False, True)]
    result = [pld.compose([step], [1], interval=1e-4) for step in steps]
    for epsilon in (0.0, 0.2, 1.0):
        exact = delta_of_one(0.9, 0.2, adjacency, epsilon)
        assert max(each.delta(epsilon) for each in result) == pytest.approx(exact, rel=1e-4)


def epsilons_along(steps, counts, marks, delta, **kwargs):
    result = dict(pld.along(steps, counts, marks, delta=delta, **kwargs))
    assert sorted(result) == list(range(len(marks)))
    return [result[place].epsilon(delta) for place in range(len(marks))]


ALONG = {
    "decay": (list(np.geomspace(3.0, 0.9, 60)), [1] * 60, 0.02, 1e-5),
    "growing noise": (list(np.geomspace(0.9, 3.0, 60)), [1] * 60, 0.02, 1e-5),
    "levels": ([2.0, 1.5, 1.1], [70, 5, 400], 0.05, 1e-6),
    "tiny δ": (list(np.geomspace(2.0, 1.0, 40)), [1] * 40, 0.1, 1e-40),
    "large δ": ([1.0], [300], 0.01, 0.1),
    "back and forth": ([1.0, 3.0] * 20, [1, 2] * 20, 0.03, 1e-5),
}


@pytest.mark.slow("composes many distributions of the privacy loss")
@pytest.mark.parametrize("name", ALONG)
@pytest.mark.parametrize("adding", [False, True])
def test_marks_along_a_run_agree_with_each_composed_from_scratch(name, adding):
    multipliers, counts, rate, delta = ALONG[name]
    steps: list[pairs.Pair] = [pairs.PoissonGaussian(m, rate, adding) for m in multipliers]
    total = sum(counts)
    marks = sorted({1, 2, total // 5, total // 2, total - 1, total})
    result = epsilons_along(steps, counts, marks, delta)
    ends = np.cumsum(counts)
    for mark, epsilon in zip(marks, result, strict=True):
        taken = np.clip(mark - (ends - counts), 0, counts)
        part = [(step, int(count)) for step, count in zip(steps, taken, strict=True) if count]
        alone = pld.compose(*zip(*part, strict=True), delta=delta).epsilon(delta)
        lower = pld.compose(*zip(*part, strict=True), delta=delta, optimistic=True).epsilon(delta)
        assert epsilon == pytest.approx(alone, rel=2e-4, abs=1e-9)
        assert epsilon >= lower


@pytest.mark.parametrize("delta", [1e-60, 1e-5, 0.2])
def test_marks_of_unsampled_gaussians_lie_just_above_the_exact_epsilon(delta):
    sigmas = np.geomspace(40.0, 8.0, 200)
    marks = [1, 3, 10, 50, 120, 200]
    steps: list[pairs.Pair] = [pairs.PoissonGaussian(sigma, 1.0) for sigma in sigmas]
    for mark, result in zip(marks, epsilons_along(steps, [1] * 200, marks, delta), strict=True):
        exact = float(analytic_epsilon(1.0 / math.sqrt(np.sum(sigmas[:mark] ** -2.0)), delta))
        assert exact * (1.0 - 1e-11) <= result <= exact * 1.005 + 1e-9


def test_rare_hits_under_little_noise_need_no_finer_grid_than_they_are_wide():
    step = pairs.PoissonGaussian(0.3, 1e-8)
    result = pld.compose([step], [100], delta=1e-9)
    # More is spent than by one step, and less than Rényi accounting says (6.19).
    for epsilon in (0.01, 0.1, 1.0):
        assert result.delta(epsilon) >= exact_delta(step, epsilon)
    assert result.epsilon(1e-9) < 0.1
    assert len(result.losses) < 2**17


@pytest.mark.parametrize(("scale", "steps"), [(1.0, 10), (5.0, 200)])
def test_laplace_compositions_agree_with_the_library(scale, steps):
    theirs = library.from_laplace_mechanism(scale, value_discretization_interval=1e-4)
    theirs = theirs.self_compose(steps)
    result = pld.compose([pairs.LaplacePair(scale)], [steps], delta=1e-6, interval=1e-3).epsilon(
        1e-6
    )
    assert result == pytest.approx(theirs.get_epsilon_for_delta(1e-6), rel=5e-3)


def test_the_stated_rounding_of_the_transform_is_above_the_real_one():
    pair, steps, size = pairs.PoissonGaussian(1.0, 0.01), 64, 1024
    start, masses, _ = pld_grid._on_grid(pair, *pair.reach(-30.0), 0.03, False)
    circle = pld_grid._wrapped(masses, start, size)
    fast = fft.irfft(fft.rfft(circle) ** steps, size)
    exact = circle.astype(np.longdouble)
    for _ in range(6):
        exact = sum(exact[i] * np.roll(exact, i) for i in range(size))
    error = float(np.abs(fast - exact).sum())
    norms = steps * np.linalg.norm(circle) + np.linalg.norm(fast)
    stated = 4.0 * (math.log2(size) + 1.0) * norms + 8.0 * steps * np.linalg.norm(fast)
    assert 0.0 < error < 2.0 * pld_grid.ROUNDING * math.sqrt(size) * stated


def test_what_lies_at_infinity_counts_in_full():
    # A tenth of the outcomes give the record away; the others have losses 0, 1 and 2.
    result = LossDistribution(
        losses=np.array([0.0, 1.0, 2.0]),
        masses=np.array([0.5, 0.3, 0.1]),
        infinite=0.1,
        log_stray=-math.inf,
        tilt=0.0,
        largest=2.5,
        optimistic=False,
    )
    at_zero = 0.1 + 0.3 * (1.0 - math.exp(-1.0)) + 0.1 * (1.0 - math.exp(-2.0))
    assert result.delta(0.0) == pytest.approx(at_zero, rel=1e-8)
    assert result.delta(2.0) == 0.1
    assert result.epsilon(0.05) == math.inf
    for delta in np.linspace(0.101, 0.37, 20):
        epsilon = result.epsilon(float(delta))
        assert result.delta(epsilon) <= delta < result.delta(epsilon - 1e-6)
    assert [float(column[0]) for column in result.roc()] == [0.0, 0.1]


def test_losses_that_are_cut_off_are_no_less_than_all_of_them(monkeypatch):
    whole = pld.compose([pairs.PoissonGaussian(1.0, 1.0)], [3], optimistic=True)
    # A fifteenth of each step's outcomes lie beyond a loss of 2.
    monkeypatch.setattr(pairs.PoissonGaussian, "reach", lambda self, log_tail: (-8.0, 2.0))
    cut = pld.compose([pairs.PoissonGaussian(1.0, 1.0)], [3])
    assert cut.infinite == pytest.approx(3.0 * stats.norm.sf(1.5), rel=0.02)
    for epsilon in (0.0, 1.0, 3.0, 6.0):
        assert cut.delta(epsilon) > whole.delta(epsilon)


def test_an_attackers_curve_needs_the_whole_distribution():
    tilted = pld.compose([pairs.PoissonGaussian(1.0, 1.0)], [1000], delta=1e-50)
    assert tilted.tilt > 0.0
    with pytest.raises(ValueError, match="whole"):
        tilted.roc()
