"""The public coordinates of written digits."""

import numpy as np
import pytest
from scipy.ndimage import center_of_mass

from dpcore.datasets import images
from dpcore.deep import scattering, whitening
from dpcore.errors import InvalidInput
from dpcore.evaluation.training.study import TrainingStudy


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

    whitening._fitted.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(images, "load", loading)
        patch.setattr(scattering, "features", scattered)
        whitening._fitted()
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
    actual = whitening.whitened(features).astype(np.float64)
    assert actual.shape == (1_797, whitening.DIRECTIONS)
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
    assert variance[0] == pytest.approx(value / (value + whitening.MIN), rel=1e-3)


@pytest.mark.slow("trains networks")
def test_one_image_does_not_change_anothers_coordinates():
    features = np.random.default_rng(0).standard_normal((5_000, 3_969)).astype(np.float32)
    together = whitening.whitened(features)
    np.testing.assert_allclose(together[4_500], whitening.whitened(features[4_500:4_501])[0], 1e-3)


def test_coordinates_of_the_records_themselves_are_refused():
    with pytest.raises(InvalidInput, match="dataset of whitened features"):
        TrainingStudy("digits", features="whitened")
