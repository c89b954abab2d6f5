"""The configurations of the image targets: what they promise, and their benchmark."""

import sys
from dataclasses import fields, replace

import numpy as np
import pytest

from benchmarks import accuracy
from dpcore.accounting.planner import spent
from dpcore.datasets import images
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.tuned_configs import CHOSEN, STUDIES, TUNED, chosen_on


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


def test_the_benchmark_has_a_target_for_each_configuration():
    assert list(accuracy.TARGETS) == list(STUDIES)


@pytest.mark.parametrize(
    ("mean", "target", "said"),
    [(0.985, 0.985, "met"), (0.98499, 0.985, "MISSED"), (0.5, None, "no target")],
)
def test_a_target_is_met_only_when_it_is(mean, target, said):
    assert accuracy.verdict(mean, target).endswith(said)


def test_the_benchmark_prints_what_was_measured_and_certified(monkeypatch, capsys):
    small = TrainingStudy(
        "digits",
        config=TrainingConfig(network="linear", epochs=3, average=0.5),
        epsilon=2.0,
        runs=2,
    )
    monkeypatch.setattr(accuracy, "STUDIES", {"small": small})
    monkeypatch.setattr(accuracy, "TARGETS", {"small": 0.999})
    monkeypatch.setattr(sys, "argv", ["accuracy", "--held-out"])
    accuracy.main()
    said = capsys.readouterr().out
    values, result, _ = accuracy.trained(small)
    assert len(values) == 2
    assert result["accuracy"]["mean"] == pytest.approx(np.mean(values))
    assert "mean of 2 runs" in said
    assert "on held-out training records; target 0.9990 MISSED" in said
    assert "δ = 1e-05, zero-out, by PLD" in said
    assert "without privacy 0." in said
