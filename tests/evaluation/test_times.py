"""Seconds of one training alone: one for each ε, alike where the work is."""

from __future__ import annotations

import pytest

from dpcore.datasets import load
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study
from dpcore.evaluation.times import ALIKE, TimesStudy, times, work
from dpcore.work.task import JobContext

EPSILONS = (0.01, 1.0, 100.0)


@pytest.mark.parametrize("method", ["opera", "dpgd", "decision-tree"])
def test_a_training_alone_is_timed_at_each_epsilon(method):
    study = Study(methods=(method,), epsilons=EPSILONS)
    seen: list[float] = []
    rows = times(
        study, splits(load(study.dataset), study.preparation), lambda share, _: seen.append(share)
    )
    assert tuple(rows["epsilon"]) == EPSILONS
    assert (rows["seconds"] > 0.0).all()
    assert (rows.groupby(ALIKE)["seconds"].nunique() == 1).all()
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_more_steps_take_longer():
    few, many = (Study(methods=("dpgd",), epsilons=(1.0,), steps=steps) for steps in (10, 5_000))
    rows = work(TimesStudy((few, many)), JobContext()).rows
    assert list(rows["steps"]) == [10, 5_000]
    assert rows["seconds"].is_monotonic_increasing


def test_the_key_is_of_what_is_timed_and_of_no_answer():
    study = Study(methods=("opera",), epsilons=EPSILONS)
    key = TimesStudy((study,)).key
    assert key == TimesStudy((study,)).key
    assert key not in (study.key, TimesStudy((study, study)).key)
