"""What keeps a risk in a training: by the curve of its own noise, more noise or fewer epochs."""

from dataclasses import replace

import pytest

from dpcore.accounting.risk_target import RiskTarget
from dpcore.accounting.tradeoff import from_event
from dpcore.deep.config import TrainingConfig
from dpcore.errors import InvalidInput
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.questions.training.before import risk_of_training
from dpcore.words import lowered

RECORDS = 1_200
CONFIG = TrainingConfig(network="linear", epochs=8, batch=100)
STUDY = TrainingStudy(config=CONFIG, epsilon=4.0)


def reached(study, target):
    training = study.with_calibrated_sigma(RECORDS).training(RECORDS)
    return target.reached(from_event(training.event(), training.adjacency))


@pytest.mark.parametrize("target", [RiskTarget(55.0), RiskTarget(5.0, 0.01)])
def test_the_epsilon_and_the_epochs_that_are_set_keep_the_risk_and_nearly_reach_it(target):
    answer = risk_of_training(STUDY, RECORDS, target)
    epsilon = lowered(answer.kept.epsilon, 4)
    assert epsilon < 4.0
    assert reached(STUDY, target) > target.gain
    kept = replace(STUDY, epsilon=epsilon)
    assert 0.98 * target.gain < reached(kept, target) <= target.gain
    assert kept.with_calibrated_sigma(RECORDS).sigma == pytest.approx(answer.sigma, rel=1e-2)
    assert answer.kept.saves > 1.5
    assert f"which takes {answer.kept.saves:.2f}"[:-1] in answer.by_noise
    assert "σ₀ = " in answer.by_noise


def test_the_same_noise_keeps_a_risk_for_fewer_epochs():
    target = RiskTarget(60.0)
    answer = risk_of_training(STUDY, RECORDS, target)
    epochs = round(answer.epochs.value)
    assert 1 <= epochs < 8
    assert f"at most {epochs} epochs keep it" in answer.by_epochs
    epsilon = lowered(answer.epochs.guarantee.epsilon, 4)
    shorter = replace(STUDY, config=replace(CONFIG, epochs=epochs), epsilon=epsilon)
    assert reached(shorter, target) <= target.gain
    same = STUDY.with_calibrated_sigma(RECORDS).sigma
    assert shorter.with_calibrated_sigma(RECORDS).sigma == pytest.approx(same, rel=1e-2)
    longer = replace(CONFIG, epochs=epochs + 1, sigma=same)
    assert reached(replace(STUDY, config=longer, epsilon=None), target) > target.gain


def test_a_risk_that_not_one_epoch_keeps_is_said():
    answer = risk_of_training(STUDY, RECORDS, RiskTarget(50.5))
    assert answer.kept.epsilon < 0.1
    assert "No number of epochs reaches" in answer.by_epochs


def test_noise_that_no_accountant_covers_is_refused():
    private = replace(CONFIG, noise="published-004", weights="private")
    with pytest.raises(InvalidInput, match="no finite ε is known"):
        risk_of_training(replace(STUDY, config=private), RECORDS, RiskTarget(55.0))
