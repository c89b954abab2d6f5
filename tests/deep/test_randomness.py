"""Noise for keeping: standard normal to its tails, from the system, never to be drawn again."""

import os

import numpy as np
import pytest
import torch
from scipy import stats

from dpcore.deep import randomness
from dpcore.deep.randomness import LEVELS, SeededRandomness, SystemRandomness, normals

STRICT = 1e-9
"""Level of the tests: what the system draws is another sample every time."""

FURTHEST = 2.0**-100
"""A share of the uniform numbers that a float32 sampler, or one of 53 bits, never reaches."""


def test_the_numbers_are_standard_normal_and_no_other():
    actual = normals(200_000)
    assert stats.kstest(actual, "norm").pvalue > STRICT
    assert stats.kstest(actual * 1.5, "norm").pvalue < STRICT
    assert stats.kstest(actual / 1.5, "norm").pvalue < STRICT
    # A Kolmogorov test says little of the tails: Z is above 3 for 270 of 200,000.
    for level in (2.0, 3.0, 4.0):
        for side in (actual, -actual):
            expected = stats.norm.sf(level)
            count = int((side > level).sum())
            assert stats.binomtest(count, len(actual), expected).pvalue > STRICT


def words_of(share, sign):
    """The bits for which V is a power of two: so many zeros, and a mantissa of zeros."""
    zeros = round(-np.log2(share))
    leading, rest = min(zeros, 11), max(0, zeros - 11)
    words = [((1 << (10 - leading) if leading < 11 else 0) << 1) | sign]
    while leading == 11:
        words.append((1 << (63 - rest)) if rest < 53 else 0)
        leading, rest = (0, 0) if rest < 53 else (11, rest - 53)
    return b"".join(word.to_bytes(8, "little") for word in words)


@pytest.mark.parametrize("share", [0.5, 2.0**-5, 2.0**-11, 2.0**-30, 2.0**-64, FURTHEST])
@pytest.mark.parametrize("sign", [0, 1])
def test_the_tail_goes_as_far_as_it_should(share, sign, monkeypatch):
    bits = words_of(share, sign)

    def urandom(count):
        nonlocal bits
        taken, bits = bits[:count], bits[count:]
        return taken

    monkeypatch.setattr(os, "urandom", urandom)
    (actual,) = normals(1)
    expected = stats.norm.isf(share / 4.0)  # V runs from half of it, and V/2 is one tail
    assert abs(actual) == pytest.approx(expected, rel=1e-12)
    assert (actual > 0) == (sign == 1)
    assert bits == b""


def test_a_room_of_any_shape_and_type_is_filled():
    for dtype in (torch.float32, torch.float64):
        room = torch.zeros(3, 5, dtype=dtype)
        result = SystemRandomness().normal(room)
        assert result is room
        assert (room != 0).all()
        assert not torch.equal(SystemRandomness().normal(torch.zeros(3, 5, dtype=dtype)), room)


def test_levels_are_uniform():
    drawn = SystemRandomness().levels(2, 50_000)
    assert drawn.shape == (2, 50_000)
    assert stats.kstest(drawn.flatten().double() / LEVELS, "uniform").pvalue > STRICT
    assert int(drawn.max()) < LEVELS
    assert int(drawn.min()) >= 0


def test_nothing_is_left_of_the_systems_randomness_and_a_seed_leaves_all():
    assert SystemRandomness().state() == {}
    seeded = SeededRandomness(0, 1)
    state = seeded.state()
    first = seeded.normal(torch.empty(4))
    seeded.restore(state)
    assert torch.equal(seeded.normal(torch.empty(4)), first)
    assert not any(isinstance(each, np.random.Generator) for each in vars(randomness).values())
