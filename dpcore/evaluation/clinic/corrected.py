"""The noise of trainings and of the counts that correct their risks, both within a study's ε."""

from __future__ import annotations

from dataclasses import replace

from dpcore.datasets import Split
from dpcore.erm.problem import Problem
from dpcore.erm.recalibration import Recalibration, recalibrate, training_budget
from dpcore.errors import InvalidInput, brief
from dpcore.evaluation.clinic.study import check_method
from dpcore.evaluation.feature_maps import by_map
from dpcore.evaluation.study import Study, calibrations_for, delta_for, problem_for
from dpcore.guarantee import PrivacyBudget
from dpcore.methods import method_named


def corrections_for(study: Study, problem: Problem, delta: float) -> dict[str, list[Recalibration]]:
    """Every method's corrections, one per ε, in the study's order. Pure: no data, no noise.

    The study's ε and `delta` are totals, of training and correction together.
    """
    for method in study.methods:
        check_method(method)
        if method_named(method).trust is not None:
            raise InvalidInput(
                f"method is {brief(method)}, where people blur their own records, but risks are "
                "corrected by counts of records as they are."
            )
    totals = [PrivacyBudget(epsilon, delta) for epsilon in study.epsilons]
    shares = tuple(training_budget(total, problem.records).epsilon for total in totals)
    trained = calibrations_for(replace(study, epsilons=shares), problem, delta)
    return {
        method: [recalibrate(one, total) for one, total in zip(group, totals, strict=True)]
        for method, group in trained.items()
    }


def refusal(study: Study, split: Split) -> str:
    """Why the risks of a study on such a split cannot be corrected; "" where they can."""
    try:
        for one, (rows,) in by_map(study, split):
            corrections_for(one, problem_for(one, rows), delta_for(one, rows))
    except InvalidInput as refused:
        return str(refused)
    return ""
