"""The made-up features: seeded, nested, as frequent as said, and drawn from the model they name."""

import numpy as np
import pytest

from dpcore.datasets import images
from dpcore.datasets.images.sets import chest_features as made_up
from dpcore.errors import InvalidInput


@pytest.fixture(scope="module")
def usual():
    return images.load("chest_features")


def test_findings_are_as_frequent_as_said_and_more_often_together(usual):
    targets = usual.train_targets
    assert targets.mean(axis=0) == pytest.approx(list(made_up.FREQUENCIES.values()), abs=0.02)
    correlation = np.corrcoef(targets.T)[np.triu_indices(5, 1)]
    # Of independent findings each would be within .04 with near certainty (4 standard errors).
    assert correlation.min() > 0.04


def test_labels_follow_the_true_model(usual):
    chance = made_up.true_model().probability(usual.train_inputs)
    for finding in range(5):
        order = np.argsort(chance[:, finding])
        for part in np.array_split(order, 10):
            expected = chance[part, finding].mean()
            error = np.sqrt(expected * (1 - expected) / len(part))
            seen = usual.train_targets[part, finding].mean()
            assert abs(seen - expected) < 4.5 * error


def test_the_same_seed_gives_the_same_records_and_a_small_set_begins_a_large_one():
    settings = {"features": 32, "test_records": 200, "seed": 5}
    small = images.load("chest_features", records=300, **settings)
    large = images.load("chest_features", records=5_000, **settings)
    assert np.array_equal(small.train_inputs, large.train_inputs[:300])
    assert np.array_equal(small.train_targets, large.train_targets[:300])
    assert np.array_equal(small.test_inputs, large.test_inputs)
    other = images.load("chest_features", records=300, **settings | {"seed": 6})
    assert not np.array_equal(small.train_inputs, other.train_inputs)


@pytest.mark.parametrize(
    ("name", "value"),
    [("records", 99), ("records", 200_001), ("features", 8), ("test_records", 0), ("seed", -1)],
)
def test_numbers_out_of_range_are_refused(name, value):
    with pytest.raises(InvalidInput, match=f"{name} is {value}, but it must be a whole number"):
        images.load("chest_features", **{name: value})
