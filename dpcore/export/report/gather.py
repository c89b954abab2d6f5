"""Compute from records everything a report needs, where no page has done so already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dpcore.datasets import Table, load
from dpcore.errors import InvalidInput, brief, number
from dpcore.evaluation.baselines import baselines, usual
from dpcore.evaluation.clinic.corrected import refusal
from dpcore.evaluation.clinic.risks import judged_models
from dpcore.evaluation.clinic.study import RiskModels, check_data, is_of_the_survey
from dpcore.evaluation.curves import against, all_curves
from dpcore.evaluation.feature_maps import calibrations_on, features_at
from dpcore.evaluation.splits import judged, splits
from dpcore.evaluation.study import Study
from dpcore.export.report.findings import BY_HAND, BY_RULE, Findings
from dpcore.methods import BEST, best_method
from dpcore.progress import Progress, section, silent, stoppable
from dpcore.questions.calibration.question import CalibrationQuestion, calibration_rows
from dpcore.questions.decision_curve.question import DecisionCurveQuestion, decision_rows
from dpcore.questions.groups.question import GroupsQuestion, group_rows


def gathered(
    study: Study,
    epsilon: float,
    method: str = BEST,
    *,
    threshold: float | None = None,
    by: str | None = None,
    corrected: bool = False,
    records: Table | None = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> Findings:
    """Train and judge one method of a study, "best" for what the rule takes at this ε."""
    total = number("epsilon", epsilon, at_least=1e-12, at_most=1e3)
    chosen = best_method(study.loss, total) if method == BEST else method
    if chosen == "nonprivate":
        raise InvalidInput(f"method is {brief(method)}, but it must be a private one.")
    if is_of_the_survey(chosen):
        raise InvalidInput(
            f"method is {brief(method)}, but it must be one that fits a linear model: a report "
            "describes no other."
        )
    study = replace(study, methods=(chosen,), epsilons=tuple(sorted({*study.epsilons, total})))
    alone = replace(study, epsilons=(total,))
    level = 0.5 if threshold is None else threshold
    judging = None
    if threshold is not None or by is not None:
        judging = RiskModels(alone, corrected)
    elif corrected:
        raise InvalidInput(
            "corrected is True, but it must be left out where no threshold and no groups are named."
        )
    report = stoppable(progress, cancelled)
    if records is None:
        report(0.0, "loading the data")
        records = load(study.dataset, records=study.records)
    if judging is not None:
        check_data(records.entry)
    parts = splits(records, study.preparation)
    if corrected and (refused := refusal(alone, parts[0])):
        raise InvalidInput(refused)  # before anything is trained
    share = 1.0 if judging is None else 0.5
    rows = all_curves(study, parts, section(report, 0.0, 0.6 * share), cancelled)
    untuned = splits(records, usual(study.preparation))
    without = baselines(untuned, records, section(report, 0.6 * share, 0.4 * share))
    first = parts[0]
    findings = Findings(
        study=study,
        calibration=calibrations_on(alone, first)[chosen][0],
        split=first,
        features=features_at(study, first, chosen, total),
        line=against(rows, without),
        compared=without,
        judged=judged(parts),
        splits=len(parts),
        published=records.published,
        chosen=BY_RULE if method == BEST else BY_HAND,
        positive_per_1000=1000.0 * without.positive,
        threshold=level,
    )
    if judging is not None:
        models = judged_models(judging, records, section(report, share, 0.5))
        if threshold is not None:
            deciding = DecisionCurveQuestion(alone, corrected, (level,))
            findings = replace(
                findings,
                decisions=decision_rows(deciding, models),
                reliability=calibration_rows(CalibrationQuestion(alone, corrected), models),
            )
        if by is not None:
            comparing = GroupsQuestion(alone, corrected, by, level)
            findings = replace(findings, groups=group_rows(comparing, records, models))
    report(1.0, "done")
    return findings
