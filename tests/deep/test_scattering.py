"""Scattering features against the definition, computed at full size without any shortcut."""

import math

import numpy as np
import pytest
import torch
from scipy.ndimage import center_of_mass

from dpcore.datasets import images
from dpcore.deep import scattering
from dpcore.deep.config import TrainingConfig
from dpcore.deep.scattering import SHIFT, STRETCH, deskewed
from dpcore.errors import Cancelled, InvalidInput
from dpcore.evaluation.training.data import training_data
from dpcore.evaluation.training.study import TrainingStudy


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


@pytest.fixture(scope="module")
def public():
    """What was asked for, what was drawn, and its features, while the coordinates were fitted."""
    asked, seen, load, features = [], [], images.load, scattering.features

    def loading(name, **settings):
        asked.append(name)
        return load(name, **settings)

    def scattered(drawn):
        seen.append((drawn, features(drawn)))
        return seen[-1][1]

    scattering._fitted.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(images, "load", loading)
        patch.setattr(scattering, "features", scattered)
        scattering._fitted()
    ((drawn, result),) = seen
    return asked, drawn, result


@pytest.mark.slow("trains networks")
def test_the_coordinates_come_from_public_digits_only(public):
    asked, drawn, _ = public
    assert asked == ["digits"]
    assert drawn.shape == (1_797, 1, 28, 28)
    assert drawn.min() == 0.0
    assert drawn.max() == 1.0
    assert not drawn[:, :, :4].any()
    assert not drawn[:, :, :, -4:].any()
    row, column = center_of_mass(drawn.mean((0, 1)))
    assert abs(row - 13.5) < 1.0
    assert abs(column - 13.5) < 1.0


@pytest.mark.slow("trains networks")
def test_the_public_digits_lie_round_the_centre_and_spread_as_they_should(public):
    _, _, features = public
    actual = scattering.whitened(features).astype(np.float64)
    assert actual.shape == (1_797, scattering.WHITE_DIRECTIONS)
    assert np.abs(actual.mean(0)).max() < 1e-3
    digits = images.load("digits")
    digits = np.concatenate([digits.train_targets, digits.test_targets])
    centred = features.copy()
    for digit in range(10):
        for each in (actual, centred):
            each[digits == digit] -= each[digits == digit].mean(0)
    spread = actual.T @ actual / len(actual)
    variance = np.diag(spread)
    # Uncorrelated within digits, and in order, as v/(v + least) grows with v.
    assert np.abs(spread - np.diag(variance)).max() < 1e-3 * variance.max()
    assert (np.diff(variance) < 1e-3 * variance.max()).all()
    value = np.linalg.svd(centred, compute_uv=False)[0] ** 2 / len(features)
    assert variance[0] == pytest.approx(value / (value + scattering.MIN_SPREAD), rel=1e-3)


@pytest.mark.slow("trains networks")
def test_one_image_does_not_change_anothers_coordinates():
    features = np.random.default_rng(0).standard_normal((5_000, 3_969)).astype(np.float32)
    together = scattering.whitened(features)
    np.testing.assert_allclose(together[4_500], scattering.whitened(features[4_500:4_501])[0], 1e-3)


def test_coordinates_of_the_records_themselves_are_refused():
    with pytest.raises(InvalidInput, match="dataset of whitened features"):
        TrainingStudy("digits", features="whitened")


def leaning(lean, down=0.0, right=0.0):
    """A soft bar through the middle of an image of 28 × 28, moved and sheared."""
    rows, columns = np.mgrid[:28, :28] - 13.5
    rows, columns = rows - down, columns - right
    across = (columns - lean * rows) / 1.5
    return np.exp(-0.5 * (across**2 + (rows / 4.0) ** 2)).astype(np.float32)[None, None]


def grey(given):
    return (deskewed(given) - SHIFT) / STRETCH


@pytest.mark.parametrize("lean", [-0.6, 0.4, 0.8])
@pytest.mark.parametrize("moved", [(0.0, 0.0), (2.0, -3.0)])
def test_a_leaning_bar_becomes_the_upright_one_in_the_middle(lean, moved):
    (result,) = grey(leaning(lean, *moved))[0]
    assert np.abs(result - leaning(0.0)[0, 0]).max() < 0.05
    assert np.abs(leaning(lean, *moved) - leaning(0.0)).max() > 0.3
    assert center_of_mass(result) == pytest.approx((13.5, 13.5), abs=0.05)
    rows, columns = np.mgrid[:28, :28] - 13.5
    assert abs((result * rows * columns).sum() / (result * rows**2).sum()) < 0.02


def test_one_image_does_not_change_anothers():
    many = np.random.default_rng(0).random((2_100, 1, 28, 28), np.float32)
    np.testing.assert_allclose(deskewed(many)[2_099], deskewed(many[2_099:])[0], atol=1e-5)


@pytest.mark.parametrize("row", [False, True])
def test_images_without_height_stay_finite_and_empty_ones_empty(row):
    image = np.zeros((1, 1, 28, 28), np.float32)
    if row:
        image[..., 20, :] = 1.0
    result = grey(image)
    assert np.isfinite(result).all()
    assert result.sum() == pytest.approx(28.0 if row else 0.0, abs=1.0)


def test_channels_are_moved_together():
    both = np.concatenate([leaning(0.5), 0.5 * leaning(0.5)], 1)
    result = grey(both)[0]
    np.testing.assert_allclose(result[1], 0.5 * result[0], atol=1e-6)


def test_a_study_trains_and_measures_on_them_also_with_a_convolutional_network():
    assert TrainingStudy("mnist", "deskewed", TrainingConfig(network="cnn")).features == "deskewed"
    result, given = images.load("digits"), training_data(TrainingStudy("digits", "deskewed"))
    np.testing.assert_array_equal(given.inputs, deskewed(result.train_inputs))
    np.testing.assert_array_equal(given.test_inputs, deskewed(result.test_inputs))
