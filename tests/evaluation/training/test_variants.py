"""The configurations of the image targets: what they promise."""

from dataclasses import fields, replace

import pytest

from dpcore.accounting.planner import spent
from dpcore.datasets import images
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training.variants import CHOSEN, STUDIES, TUNED, chosen_on


@pytest.mark.parametrize("name", STUDIES)
def test_each_configuration_is_certified_within_its_epsilon(name):
    study = STUDIES[name]
    records = images.entry(study.dataset).records
    config = study.with_calibrated_sigma(records)
    training = config.training(records)
    assert (config.delta, config.adjacency) == (1e-5, "zero-out")
    certified = spent(training, "pld").epsilon
    assert 0.99 * study.epsilon <= certified <= study.epsilon
    # Nothing but the noise hides a record: neither a public part nor a part left out.
    assert not study.held_out
    assert study.public == 0


@pytest.mark.parametrize("name", STUDIES)
def test_settings_chosen_on_the_set_they_train_on_say_so(name):
    study = STUDIES[name]
    assert chosen_on(study) == CHOSEN
    # Noise, seed and ε are no choice of theirs; a data set or a setting of one's own is another's.
    own = replace(study.config, sigma=3.0, seed=7, delta=1e-6, adjacency="replace-one")
    assert chosen_on(replace(study, epsilon=7.0, runs=1, config=own)) == CHOSEN
    assert chosen_on(replace(study, features="raw")) == ""
    assert chosen_on(replace(study, config=replace(study.config, learning_rate=0.123))) == ""
    assert set(TUNED) <= {field.name for field in fields(TrainingConfig)}
