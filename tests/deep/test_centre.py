"""The public centre of written digits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import center_of_mass

from dpcore.datasets import images
from dpcore.deep import centre, scattering
from dpcore.errors import InvalidInput
from dpcore.evaluation.training import TrainingStudy


def test_the_centre_is_the_mean_over_public_digits_only(monkeypatch):
    asked, load = [], images.load

    def watched(name, **settings):
        asked.append(name)
        return load(name, **settings)

    seen = []
    features = scattering.features
    monkeypatch.setattr(images, "load", watched)
    monkeypatch.setattr(scattering, "features", lambda drawn: seen.append(drawn) or features(drawn))
    centre.centre.cache_clear()
    found = centre.centre()
    assert asked == ["digits"]
    (drawn,) = seen
    assert drawn.shape == (1_797, 1, 28, 28)
    assert drawn.min() == 0.0
    assert drawn.max() == 1.0
    assert not drawn[:, :, :4].any()
    assert not drawn[:, :, :, -4:].any()
    row, column = center_of_mass(drawn.mean((0, 1)))
    assert abs(row - 13.5) < 1.0
    assert abs(column - 13.5) < 1.0
    np.testing.assert_allclose(found, features(drawn).mean(0), atol=1e-4)


def test_centred_features_of_the_centres_own_digits_are_short():
    rng = np.random.default_rng(0)
    scattered = rng.standard_normal((3, 3_969)).astype(np.float32)
    found = centre.centred(scattered)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, scattered - centre.centre())
    # Not in place: the cache's features are others' too.
    assert not np.shares_memory(found, scattered)


def test_a_centre_of_the_records_themselves_is_refused():
    with pytest.raises(InvalidInput, match="dataset of centred features"):
        TrainingStudy("digits", features="centred")
