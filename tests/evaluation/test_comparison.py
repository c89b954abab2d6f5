"""What a private training is compared with, and how runs become means."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.accounting.planner import spent
from dpcore.deep.config import TrainingConfig
from dpcore.deep.guarantee import guarantee
from dpcore.evaluation import comparison
from dpcore.evaluation.scoring.auc import area_interval
from dpcore.evaluation.training import sweep_training
from dpcore.evaluation.training.study import TrainingStudy, new_release

RECORDS = 1_437
DECAYING = TrainingConfig(widths=(8,), epochs=4, batch=256, decay=0.9)
ENDED = ("private", "nonprivate")
STUDY = TrainingStudy(dataset="digits", config=DECAYING, epsilon=2.0, runs=2)


def history(values):
    """Accuracy by (run, epoch)."""
    return pd.DataFrame(
        [
            {"run": run, "epoch": epoch, "accuracy_test": value, "loss_train": 1.0 - value}
            for (run, epoch), value in values.items()
        ]
    )


def certified(config):
    return spent(config.training(RECORDS), "pld").epsilon


def test_beside_a_decaying_run_stand_constant_noise_and_no_privacy():
    result = comparison.comparison_arms(STUDY)
    assert list(result) == ["private", "nonprivate", "clipped", "constant"]
    assert result["private"] == STUDY
    assert result["constant"].config == replace(DECAYING, decay=1.0)
    assert result["constant"].epsilon == STUDY.epsilon
    free, clipped = result["nonprivate"].config, result["clipped"].config
    assert (free.private, free.clipped, free.sigma) == (False, False, 0.0)
    assert (free.epochs, free.batch, free.widths) == (4, 256, (8,))
    assert (clipped.private, clipped.clipped) == (False, True)
    released = comparison.comparison_arms(replace(STUDY, release=new_release()))
    assert list(released) == ["private", "nonprivate", "constant"]
    plain = replace(STUDY, config=replace(DECAYING, decay=1.0))
    assert list(comparison.comparison_arms(plain)) == ["private", "nonprivate", "clipped"]


def test_every_settled_noise_spends_the_same_budget_and_no_more():
    result = comparison.with_calibrated_sigma(comparison.comparison_arms(STUDY), RECORDS)
    assert list(result) == ["private", "constant"]
    for config in result.values():
        assert 1.99 < certified(config) <= 2.0
    # The noise that falls has to begin higher.
    assert result["private"].sigma > result["constant"].sigma


def test_one_training_without_privacy_serves_every_budget():
    other = replace(STUDY, epsilon=0.5, config=replace(DECAYING, decay=0.5, delta=1e-7))
    arms = [comparison.comparison_arms(study) for study in (STUDY, other)]
    for series in ("nonprivate", "clipped"):
        assert arms[0][series].key == arms[1][series].key


def test_clipping_alone_sees_the_batches_of_the_private_training():
    # With next to no noise the two are the same training, step by step, side by side or alone.
    config = replace(DECAYING, decay=1.0, sigma=1e-8)
    study = replace(STUDY, config=config, epsilon=None)
    clipped = comparison.comparison_arms(study)["clipped"]
    together = sweep_training([study, clipped])
    alone = sweep_training([clipped])
    measured = ["run", "epoch", "steps", "loss_train", "accuracy_test"]
    for rows in (together[1], alone[0]):
        pd.testing.assert_frame_equal(rows[measured], together[0][measured], rtol=1e-4)
    assert set(together[1]["status"]) == {"not private"}
    assert together[1]["epsilon"].isna().all()


def means(series, values):
    """Rows of `comparison.averaged`: accuracy by epoch."""
    rows = {(0, epoch): value for epoch, value in values.items()}
    return comparison.averaged(comparison.gathered({series: history(rows)}))


def test_clipping_and_noise_are_told_apart_at_the_same_epoch():
    table = pd.concat(
        [
            means("private", {1: 0.5, 2: 0.6, 3: 0.7}),
            means("nonprivate", {1: 0.8, 2: 0.9}),
            means("clipped", {1: 0.55}),
        ]
    )
    now = comparison.compared(table, "accuracy_test", ended=["private"])
    assert (now.value, now.reference, now.clipped, now.epoch) == (0.6, 0.9, None, 2)
    more = pd.concat([table, means("clipped", {2: 0.65, 3: 0.66})])
    now = comparison.compared(more, "accuracy_test", ended=["private"])
    assert (now.clipped, now.epoch) == (0.65, 2)
    # Both compared ones have ended: clipping waits for its own end.
    now = comparison.compared(more, "accuracy_test", ended=ENDED)
    assert (now.value, now.reference, now.clipped, now.epoch) == (0.7, 0.9, None, None)
    now = comparison.compared(more, "accuracy_test", ended=(*ENDED, "clipped"))
    assert now.clipped == 0.66


def test_the_course_ends_at_what_is_certified_for_the_run():
    configs = comparison.with_calibrated_sigma(comparison.comparison_arms(STUDY), RECORDS)
    schedule = comparison.epsilon_schedule(configs, RECORDS)
    for series, config in configs.items():
        rows = schedule[schedule["series"] == series]
        assert list(rows["epoch"]) == [1, 2, 3, 4]
        assert list(rows["steps"]) == [6, 12, 18, 24]
        assert rows["epsilon"].iloc[-1] == pytest.approx(certified(config), rel=1e-3)
        assert (rows["epsilon"].diff().dropna() > 0).all()
        wanted = config.sigma * config.decay ** (0.5 * np.arange(4))
        assert rows["sigma"].to_numpy() == pytest.approx(wanted)
    assert set(schedule["adjacency"]) == {"zero-out"}


def test_means_and_bands_are_over_the_runs_that_have_all_come_so_far():
    # Of two runs the band is from the lower to the higher.
    rows = history({(0, 1): 0.2, (1, 1): 0.4, (0, 2): 0.6, (1, 2): 0.8, (0, 3): 0.9})
    table = comparison.averaged(comparison.gathered({"private": rows}))
    assert list(table["epoch"]) == [1, 2]
    assert table["accuracy_test"].to_numpy() == pytest.approx([0.3, 0.7])
    assert table["accuracy_test_low"].to_numpy() == pytest.approx([0.2, 0.6])
    assert table["accuracy_test_high"].to_numpy() == pytest.approx([0.4, 0.8])
    assert table["loss_train"].to_numpy() == pytest.approx([0.7, 0.3])
    assert list(table["runs"]) == [2, 2]


@pytest.mark.parametrize(
    ("private", "free", "expected"),
    [
        ({(0, 1): 0.5}, {(0, 1): 0.6, (0, 2): 0.9}, (0.5, 0.6, 1)),
        ({(0, 1): 0.5, (0, 2): 0.8}, {(0, 1): 0.6}, (0.5, 0.6, 1)),
        ({(0, 2): 0.5}, {(0, 1): 0.6}, (0.5, None, None)),
    ],
    ids=["private behind", "private ahead", "no epoch of both"],
)
def test_while_one_trains_both_are_compared_at_the_same_epoch_or_not_at_all(
    private, free, expected
):
    parts = {"private": history(private), "nonprivate": history(free)}
    table = comparison.averaged(comparison.gathered(parts))
    actual = comparison.compared(table, "accuracy_test", ended=())
    assert (actual.value, actual.reference, actual.epoch) == expected


def test_noise_that_nothing_is_known_of_has_a_course_without_epsilon():
    published = TrainingConfig(widths=(8,), epochs=4, batch=256, noise="published-004")
    study = replace(STUDY, config=published)
    configs = comparison.with_calibrated_sigma(comparison.comparison_arms(study), RECORDS)
    assert configs["private"].sigma == published.claiming(2.0, RECORDS).sigma
    assert not comparison.accounted(configs["private"])
    schedule = comparison.epsilon_schedule(configs, RECORDS).set_index("series")
    assert schedule.loc["private", "epsilon"].isna().all()
    assert schedule.loc["constant", "epsilon"].notna().all()
    assert list(schedule.loc["private", "epoch"]) == [1, 2, 3, 4]


def test_the_course_of_paper_004_s_noise_counts_what_any_public_weights_allow():
    config = TrainingConfig(
        widths=(8,), epochs=2, sigma=2.0, noise="published-004", weights="public"
    )
    schedule = comparison.epsilon_schedule({"private": config}, RECORDS)
    assert set(schedule["sigma"]) == {2.0}
    whole = certified(replace(config, noise="isotropic", weights=None))
    assert schedule["epsilon"].iloc[-1] > 100.0 * whole
    held = guarantee(config, RECORDS).certified.epsilon
    assert schedule["epsilon"].iloc[-1] == pytest.approx(held, rel=1e-3)


def test_shapes_of_noise_stand_side_by_side_at_one_certified_epsilon():
    study = replace(STUDY, public=100)
    records = study.trained_on(RECORDS)
    even = comparison.with_calibrated_sigma(comparison.comparison_arms(study), records)["constant"]
    result = comparison.shapes(study, even.sigma)
    assert list(result) == ["isotropic", "scaled", "published", "bounded"]
    assert result["isotropic"].key == comparison.comparison_arms(study)["constant"].key
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


def test_the_second_class_is_the_positive_one_of_an_area():
    result = comparison.on_new_records(0.8, "auc_test", (40, 10))
    assert result == area_interval(0.8, 10, 40) != area_interval(0.8, 40, 10)


def test_a_schedule_holds_the_noise_of_each_epochs_last_step():
    config = replace(DECAYING, sigma=2.0, decay_every="step")
    table = comparison.epsilon_schedule({"private": config}, RECORDS)
    falls = table["steps"].to_numpy() - 1
    assert table["sigma"].to_numpy() == pytest.approx(2.0 * 0.9 ** (0.5 * falls))
