"""The system's generator: right distributions, nothing that can be stored or repeated."""

import pickle

import numpy as np
import pytest
from scipy import stats

from dpcore.erm.method import noise_generator
from dpcore.mechanisms.entropy import SystemNoise

STRICT = 1e-9
"""Level of the tests: what the system draws is another sample every time."""
COUNT = 50_000


@pytest.mark.parametrize("wrong", [1.0, 1.5, 2.0 / 3.0])
@pytest.mark.parametrize(
    ("draw", "distribution", "parameters"),
    [
        (lambda g: g.standard_normal(COUNT, dtype=np.float32), "norm", ()),
        (lambda g: g.laplace(0.0, 2.0, COUNT), "laplace", (0.0, 2.0)),
        (lambda g: g.gamma(3, 2.0, COUNT), "gamma", (3, 0.0, 2.0)),
    ],
    ids=["normal", "laplace", "gamma"],
)
def test_noise_has_its_distribution_and_no_other(draw, distribution, parameters, wrong):
    result = draw(SystemNoise()) * wrong
    assert result.dtype == np.float64
    assert (stats.kstest(result, distribution, args=parameters).pvalue > STRICT) == (wrong == 1.0)


def test_noise_never_comes_from_the_state(monkeypatch):
    generator = SystemNoise()
    before = generator.bit_generator.state
    for draw in (generator.standard_normal, generator.laplace):
        draw(size=100)
    generator.gamma(3, 1.0, 100)
    assert generator.bit_generator.state == before


def test_it_is_not_stored_and_no_two_are_alike():
    with pytest.raises(TypeError, match="not stored"):
        pickle.dumps(SystemNoise())
    first, second = SystemNoise(), SystemNoise()
    assert not np.array_equal(first.integers(2**40, size=8), second.integers(2**40, size=8))
    assert not np.array_equal(first.standard_normal(8), second.standard_normal(8))


def test_without_a_seed_a_method_draws_from_the_system():
    assert isinstance(noise_generator(None, 0), SystemNoise)
    assert not isinstance(noise_generator(0, 0), SystemNoise)
