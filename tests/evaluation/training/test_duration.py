"""The time of trainings is told before they are started, from a few timed steps."""

from dataclasses import replace

import pandas as pd
import pytest

from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training import duration, study
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.questions.comparison import arms
from dpcore.work.task import JobContext

CONFIG = TrainingConfig(widths=(8,), epochs=4, batch=256, decay=0.9)
STUDY = TrainingStudy("digits", config=CONFIG, epsilon=2.0, runs=2)
ARMS = tuple(arms.comparison_arms(STUDY).values())


def rows_of(*studies):
    """Made-up times: a step takes 1 s, or 0.5 to 3 s, and measuring 10 s."""
    trial = duration.trial(studies)
    times = (1.0, 0.5, 3.0, 2, 10.0, 100.0, 1000.0)
    return pd.DataFrame([(each.key, *times) for each in trial.studies], columns=duration.COLUMNS)


def test_steps_and_measures_of_all_runs_add_up():
    result = duration.duration(rows_of(STUDY), [STUDY], 1_437)
    steps, epochs = 24, 4
    fixed = 1000.0 + 100.0 + 2 * epochs * 10.0
    assert result.seconds == fixed + 2 * steps * 1.0
    # The range holds at least what the timed steps spread.
    assert result.low == 0.8 * result.seconds < fixed + 2 * steps * 0.5
    assert result.high == 1.6 * result.seconds > fixed + 2 * steps * 3.0
    both = duration.duration(rows_of(*ARMS), ARMS[:2], 1_437)
    assert both.seconds == 2 * result.seconds - 100.0  # features are made once
    long = replace(STUDY, config=replace(CONFIG, epochs=1_000))
    result = duration.duration(rows_of(long), [long], 1_437)
    measuring = 2 * study.MAX_ROWS * 10.0  # at most so often
    assert result.seconds == 1000.0 + 100.0 + measuring + 2 * 6_000 * 1.0


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"config": replace(CONFIG, sampling="none")},
        {"config": replace(CONFIG, noise="published-004", decay=1.0)},
        {"config": replace(CONFIG, noise="scaled", weights="public"), "public": 50},
        {"features": "scattering"},
        {"dataset": "chest_features", "config": replace(CONFIG, network="linear")},
        {"dataset": "breast_cancer", "config": replace(CONFIG, batch=455)},
        {
            "config": replace(CONFIG, adjacency="add-remove", public_size=2_000, batch=100),
        },
    ],
)
def test_every_kind_of_training_is_timed(changed, monkeypatch):
    monkeypatch.setattr(duration, "TIMED_SECONDS", 0.01)
    asked = replace(STUDY, **changed)
    rows = duration.task(duration.trial([asked])).run(JobContext()).rows
    assert (rows["step_low"] > 0.0).all()
    assert (rows["step_low"] <= rows["step"]).all()
    assert (rows["step"] <= rows["step_high"]).all()
    assert (rows["measuring"] > 0.0).all()
    assert (rows["features"].iloc[0] > 0.0) == (asked.features != "raw")
    result = duration.duration(rows, [asked], 1_000)
    assert 0.0 < result.low < result.seconds < result.high


def test_what_is_left_follows_from_the_pace_so_far():
    assert duration.remaining(pd.DataFrame(), ["private"], 10) is None
    rows = [("private", run, epoch, 2.0 * epoch) for run in (0, 1) for epoch in (1, 2, 3, 4)]
    rows += [("nonprivate", run, 1, 1.0) for run in (0, 1)]
    history = pd.DataFrame(rows, columns=["series", "run", "epoch", "seconds"])
    # Both runs together: 4 s and 2 s an epoch, and 3 s where nothing is known yet.
    result = duration.remaining(history, ["private", "nonprivate", "clipped"], 10)
    assert result == pytest.approx(6 * 4.0 + 9 * 2.0 + 10 * 3.0)
