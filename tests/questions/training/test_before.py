"""Before anything is trained: how noise falls and ε grows, its time, and a large first noise."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.accounting.planner import spent
from dpcore.deep.config import TrainingConfig, guarantee
from dpcore.evaluation.training import variants
from dpcore.evaluation.training.duration import Duration
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.questions.comparison import arms
from dpcore.questions.training import before

RECORDS = 1_437
DECAYING = TrainingConfig(widths=(8,), epochs=4, batch=256, decay=0.9)
STUDY = TrainingStudy(dataset="digits", config=DECAYING, epsilon=2.0, runs=2)


def certified(config):
    return spent(config.training(RECORDS), "pld").epsilon


def test_the_course_ends_at_what_is_certified_for_the_run():
    configs = arms.with_calibrated_sigma(arms.comparison_arms(STUDY), RECORDS)
    table = before.epsilon_schedule(configs, RECORDS)
    for series, config in configs.items():
        rows = table[table["series"] == series]
        assert list(rows["epoch"]) == [1, 2, 3, 4]
        assert list(rows["steps"]) == [6, 12, 18, 24]
        assert rows["epsilon"].iloc[-1] == pytest.approx(certified(config), rel=1e-3)
        assert (rows["epsilon"].diff().dropna() > 0).all()
        wanted = config.sigma * config.decay ** (0.5 * np.arange(4))
        assert rows["sigma"].to_numpy() == pytest.approx(wanted)
    assert set(table["adjacency"]) == {"zero-out"}


def test_noise_that_nothing_is_known_of_has_a_course_without_epsilon():
    published = TrainingConfig(widths=(8,), epochs=4, batch=256, noise="published-004")
    study = replace(STUDY, config=published)
    configs = arms.with_calibrated_sigma(arms.comparison_arms(study), RECORDS)
    assert configs["private"].sigma == published.claiming(2.0, RECORDS).sigma
    assert not variants.accounted(configs["private"])
    table = before.epsilon_schedule(configs, RECORDS).set_index("series")
    assert table.loc["private", "epsilon"].isna().all()
    assert table.loc["constant", "epsilon"].notna().all()
    assert list(table.loc["private", "epoch"]) == [1, 2, 3, 4]


def test_the_course_of_paper_004_s_noise_counts_what_any_public_weights_allow():
    config = TrainingConfig(
        widths=(8,), epochs=2, sigma=2.0, noise="published-004", weights="public"
    )
    table = before.epsilon_schedule({"private": config}, RECORDS)
    assert set(table["sigma"]) == {2.0}
    whole = certified(replace(config, noise="isotropic", weights=None))
    assert table["epsilon"].iloc[-1] > 100.0 * whole
    held = guarantee(config, RECORDS).certified.epsilon
    assert table["epsilon"].iloc[-1] == pytest.approx(held, rel=1e-3)


def test_a_schedule_holds_the_noise_of_each_epochs_last_step():
    config = replace(DECAYING, sigma=2.0, decay_every="step")
    table = before.epsilon_schedule({"private": config}, RECORDS)
    falls = table["steps"].to_numpy() - 1
    assert table["sigma"].to_numpy() == pytest.approx(2.0 * 0.9 ** (0.5 * falls))


@pytest.mark.parametrize(
    ("seconds", "low", "high", "text"),
    [
        (0.2, 0.1, 0.4, "about 1 s, between 1 s and 1 s"),
        (24.0, 18.7, 41.2, "about 24 s, between 19 s and 41 s"),
        (241.0, 170.0, 430.0, "about 4 min, between 3 min and 7 min"),
        (2_700.0, 80.0, 6_000.0, "about 45 min, between 80 s and 1.7 hours"),
        (45_360.0, 7_560.0, 90_000.0, "about 13 hours, between 2.1 hours and 25 hours"),
    ],
)
def test_an_estimate_has_few_digits_and_its_range(seconds, low, high, text):
    assert before.in_time(Duration(seconds, low, high)) == text


def test_a_decay_that_makes_the_first_noise_far_larger_is_warned_of():
    assert before.large_first_noise(49.9, 5.0) == ""
    assert "σ₀ = 78 410, 6 434 times" in before.large_first_noise(78_410.0, 12.187)
