"""Seconds of one training alone: one for each ε, alike where the work is."""

from __future__ import annotations

import pytest

import dpcore
from dpcore.datasets import load
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study
from dpcore.questions.cost.question import CostQuestion
from dpcore.questions.times.question import ALIKE, TimesQuestion, times

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
    few, many = (
        dpcore.times(Study(methods=("dpgd",), epsilons=(1.0,), steps=steps))
        for steps in (10, 2_000)
    )
    assert [*few["steps"], *many["steps"]] == [10, 2_000]
    assert many["seconds"].iloc[0] > few["seconds"].iloc[0]


def test_each_method_is_timed_without_settings_of_others():
    study = Study(methods=("nonprivate", "decision-tree", "opera"), epsilons=(1.0,), lam=0.3)
    rows = dpcore.times(study)
    assert tuple(rows["method"]) == study.methods
    assert (rows["seconds"] > 0.0).all()


def test_the_key_is_of_what_is_timed_and_of_no_answer():
    study = Study(methods=("opera",), epsilons=EPSILONS)
    key = TimesQuestion(study).key
    assert key == TimesQuestion(study).key
    assert key not in (study.key, CostQuestion(study).key)
