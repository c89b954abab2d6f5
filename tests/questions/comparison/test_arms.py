"""What a private training is compared with."""

from dataclasses import replace

import pandas as pd
import pytest

from dpcore.accounting.planner import spent
from dpcore.deep.config import TrainingConfig, guarantee
from dpcore.evaluation.training import sweep_training
from dpcore.evaluation.training.study import TrainingStudy, new_release
from dpcore.questions.comparison import arms

RECORDS = 1_437
DECAYING = TrainingConfig(widths=(8,), epochs=4, batch=256, decay=0.9)
STUDY = TrainingStudy(dataset="digits", config=DECAYING, epsilon=2.0, runs=2)


def certified(config):
    return spent(config.training(RECORDS), "pld").epsilon


def test_beside_a_decaying_run_stand_constant_noise_and_no_privacy():
    result = arms.comparison_arms(STUDY)
    assert list(result) == ["private", "nonprivate", "clipped", "constant"]
    assert result["private"] == STUDY
    assert result["constant"].config == replace(DECAYING, decay=1.0)
    assert result["constant"].epsilon == STUDY.epsilon
    free, clipped = result["nonprivate"].config, result["clipped"].config
    assert (free.private, free.clipped, free.sigma) == (False, False, 0.0)
    assert (free.epochs, free.batch, free.widths) == (4, 256, (8,))
    assert (clipped.private, clipped.clipped) == (False, True)
    released = arms.comparison_arms(replace(STUDY, release=new_release()))
    assert list(released) == ["private", "nonprivate", "constant"]
    plain = replace(STUDY, config=replace(DECAYING, decay=1.0))
    assert list(arms.comparison_arms(plain)) == ["private", "nonprivate", "clipped"]


def test_every_settled_noise_spends_the_same_budget_and_no_more():
    result = arms.with_calibrated_sigma(arms.comparison_arms(STUDY), RECORDS)
    assert list(result) == ["private", "constant"]
    for config in result.values():
        assert 1.99 < certified(config) <= 2.0
    # The noise that falls has to begin higher.
    assert result["private"].sigma > result["constant"].sigma


def test_one_training_without_privacy_serves_every_budget():
    other = replace(STUDY, epsilon=0.5, config=replace(DECAYING, decay=0.5, delta=1e-7))
    both = [arms.comparison_arms(study) for study in (STUDY, other)]
    for series in ("nonprivate", "clipped"):
        assert both[0][series].key == both[1][series].key


def test_clipping_alone_sees_the_batches_of_the_private_training():
    # With next to no noise the two are the same training, step by step, side by side or alone.
    config = replace(DECAYING, decay=1.0, sigma=1e-8)
    study = replace(STUDY, config=config, epsilon=None)
    clipped = arms.comparison_arms(study)["clipped"]
    together = sweep_training([study, clipped])
    alone = sweep_training([clipped])
    measured = ["run", "epoch", "steps", "loss_train", "accuracy_test"]
    for rows in (together[1], alone[0]):
        pd.testing.assert_frame_equal(rows[measured], together[0][measured], rtol=1e-4)
    assert set(together[1]["status"]) == {"not private"}
    assert together[1]["epsilon"].isna().all()


def test_shapes_of_noise_stand_side_by_side_at_one_certified_epsilon():
    study = replace(STUDY, public=100)
    records = study.trained_on(RECORDS)
    even = arms.with_calibrated_sigma(arms.comparison_arms(study), records)["constant"]
    result = arms.shapes(study, even.sigma)
    assert list(result) == ["isotropic", "scaled", "published", "bounded"]
    assert result["isotropic"].key == arms.comparison_arms(study)["constant"].key
    for series in ("isotropic", "scaled", "bounded"):
        held = guarantee(result[series].with_calibrated_sigma(records), records).certified.epsilon
        assert 1.99 < held <= 2.0
    printed = guarantee(result["published"].with_calibrated_sigma(records), records)
    assert printed.certified.epsilon is None
    assert printed.claim.epsilon == pytest.approx(2.0, rel=1e-6)


@pytest.mark.slow("trains many models")
def test_a_solved_sigma_serves_no_other_study():
    solved = STUDY.calibrated(RECORDS)
    sigma = STUDY.with_calibrated_sigma(RECORDS).sigma
    assert solved.with_calibrated_sigma(RECORDS).sigma == sigma
    for other, records in (
        (replace(solved, epsilon=2.0 * STUDY.epsilon), RECORDS),
        (replace(solved, config=replace(STUDY.config, epochs=1)), RECORDS),
        (solved, RECORDS - 1),
    ):
        assert other.with_calibrated_sigma(records).sigma != sigma
