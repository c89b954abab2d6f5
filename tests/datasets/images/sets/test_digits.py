"""The built-in digits against scikit-learn's own reader."""

import numpy as np

from dpcore.datasets import images


def test_they_are_scikit_learns():
    from sklearn.datasets import load_digits

    result, reference = images.load("digits"), load_digits()
    inputs = np.concatenate([result.train_inputs, result.test_inputs])[:, 0]
    assert np.array_equal(inputs * 16, reference.images)
    targets = np.concatenate([result.train_targets, result.test_targets])
    assert np.array_equal(targets, reference.target)
