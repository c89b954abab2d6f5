"""Scattering features against the definition, computed at full size without any shortcut."""

import math

import numpy as np
import pytest
import torch

from dpcore.deep import scattering
from dpcore.errors import Cancelled, InvalidInput


def gabor(side, spread, angle, slant, wave):
    """A Morlet wavelet's Gaussian and carried parts, wrapped round the image, by definition."""
    plain = np.zeros((side, side))
    carried = np.zeros((side, side), dtype=complex)
    for row in range(-2 * side, 3 * side):
        for column in range(-2 * side, 3 * side):
            along = column * math.cos(angle) + row * math.sin(angle)
            across = -column * math.sin(angle) + row * math.cos(angle)
            hump = math.exp(-(along**2 + (slant * across) ** 2) / (2 * spread**2))
            hump *= slant / (2 * math.pi * spread**2)
            plain[row % side, column % side] += hump
            carried[row % side, column % side] += hump * np.exp(1j * wave * along)
    return plain, carried


def convolved(image, kernel):
    return np.fft.ifft2(np.fft.fft2(image) * np.fft.fft2(kernel))


def by_definition(image):
    padded = np.pad(image, 4, mode="reflect")
    side = len(padded)
    average, _ = gabor(side, 1.6, 0.0, 1.0, 0.0)
    wavelets = []
    for scale in range(2):
        for turn in range(8):
            angle, wave = math.pi * turn / 8, 0.75 * math.pi / 2**scale
            plain, carried = gabor(side, 0.8 * 2**scale, angle, 0.5, wave)
            wavelets.append(carried - plain * carried.sum() / plain.sum())
    orders = [np.abs(convolved(padded, wavelet)) for wavelet in wavelets]
    again = [np.abs(convolved(fine, w)) for fine in orders[:8] for w in wavelets[8:]]
    smooth = [convolved(each, average).real for each in [padded, *orders, *again]]
    return np.stack([each[4:-4:4, 4:-4:4] for each in smooth])


def test_coefficients_follow_the_definition():
    image = np.random.default_rng(0).random((8, 8))
    actual = scattering.scatter(torch.from_numpy(image)[None, None].float())[0].numpy()
    expected = by_definition(image)
    assert actual.shape == expected.shape == (81, 2, 2)
    # Aliases of moduli, which are not band-limited, are all that may differ.
    np.testing.assert_allclose(actual, expected, rtol=0.03, atol=2e-3)
    assert np.corrcoef(actual.ravel(), expected.ravel())[0, 1] > 0.9995


def test_features_are_normalised_within_each_image():
    images = np.random.default_rng(2).random((3, 1, 12, 12))
    result = scattering.features(images).reshape(3, 27, -1)
    np.testing.assert_allclose(result.mean(-1), 0.0, atol=1e-4)
    assert (result.var(-1) < 1.0 + 1e-4).all()


def test_one_image_does_not_change_anothers_features():
    images = np.random.default_rng(3).random((40, 2, 8, 8))
    together = scattering.features(images)
    alone = scattering.features(images[35:36])
    assert together.shape == (40, 2 * 81 * 4)
    np.testing.assert_allclose(together[35], alone[0], atol=1e-4)


@pytest.mark.parametrize("shape", [(2, 1, 9, 9), (2, 1, 8, 12), (2, 8, 8), (2, 1, 4, 4)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(InvalidInput, match="side"):
        scattering.features(np.zeros(shape))


@pytest.fixture
def kept(monkeypatch, tmp_path):
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    return tmp_path / "arrays"


def test_cached_features_are_computed_once_and_are_the_same_every_time(kept, monkeypatch):
    images = np.random.default_rng(5).random((40, 1, 8, 8), np.float32)
    told = []
    first = scattering.cached_features(images, lambda share, message: told.append(share))
    exact = scattering.features(images)  # but for half precision
    assert first.dtype == np.float32
    np.testing.assert_allclose(first, exact, rtol=2**-11, atol=2**-25)
    assert not np.array_equal(first, exact)
    assert told == sorted(told)
    assert told[-1] == 1
    assert len(list(kept.iterdir())) == 1
    monkeypatch.setattr(scattering, "scatter", lambda part: pytest.fail("computed again"))
    np.testing.assert_array_equal(scattering.cached_features(images.copy()), first)


def test_what_was_computed_before_a_stop_is_not_computed_again(kept, monkeypatch):
    monkeypatch.setattr(scattering, "CACHED_AT_A_TIME", 32)
    images = np.random.default_rng(8).random((100, 1, 8, 8), np.float32)
    told = []

    def stop_at_half(share, message):
        told.append((share, message))
        if share > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        scattering.cached_features(images, stop_at_half)
    assert told[0] == (0.32, "preparing features: 32 of 100 images")
    scatter, drawn = scattering.scatter, []
    monkeypatch.setattr(
        scattering, "scatter", lambda part: drawn.append(len(part)) or scatter(part)
    )
    again = scattering.cached_features(images)
    assert sum(drawn) == 100 - 32
    whole = scattering.features(images)
    np.testing.assert_allclose(again, whole, rtol=2**-11, atol=2**-25)


def test_other_images_are_not_taken_for_cached_ones(kept):
    images = np.random.default_rng(7).random((2, 1, 8, 8), np.float32)
    other = images.copy()
    other[1, 0, 3, 3] += 0.25
    first, second = scattering.cached_features(images), scattering.cached_features(other)
    np.testing.assert_array_equal(first[0], second[0])
    assert not np.array_equal(first[1], second[1])
    with pytest.raises(InvalidInput, match="side"):
        scattering.cached_features(np.zeros((2, 1, 9, 9)))
