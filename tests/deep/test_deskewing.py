"""Images set upright."""

import numpy as np
import pytest
from scipy.ndimage import center_of_mass

from dpcore.datasets import images
from dpcore.deep.config import TrainingConfig
from dpcore.deep.deskewing import SHIFT, STRETCH, deskewed
from dpcore.evaluation.training.data import training_data
from dpcore.evaluation.training.study import TrainingStudy


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
