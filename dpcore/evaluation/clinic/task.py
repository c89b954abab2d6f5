"""Risks by private models as tidy tables: what deciding by them is worth, and how right they are.

One row a (method, ε, threshold) with the band from 5 % to 95 % of single runs, then the model
without privacy, treating everybody and treating nobody; and the table of `reliability`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets import Split, Table
from dpcore.erm.method import Array
from dpcore.evaluation.clinic import reliability
from dpcore.evaluation.clinic.costs import Costs
from dpcore.evaluation.clinic.decision_curve import Decisions, decisions
from dpcore.evaluation.clinic.reliability import reliability_rows
from dpcore.evaluation.clinic.risks import Judged, judged_models, records_of
from dpcore.evaluation.clinic.rows import (
    NONE,
    OF_MODEL,
    Limits,
    of_model,
    over_runs,
    split_of_each,
    summarised,
    with_ends,
)
from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.frontier import crossing
from dpcore.evaluation.scoring import spread
from dpcore.evaluation.task import JobContext, Outcome, StudyTask
from dpcore.guarantee import Status
from dpcore.progress import Progress, silent, stoppable

if TYPE_CHECKING:
    import pandas as pd

TREAT_ALL, TREAT_NONE = "treat_all", "treat_none"
"""Methods of the rows that need no model."""
MEASURES: Limits = MappingProxyType(
    {
        "net_benefit": (-math.inf, 1.0),
        "true_positive_rate": (0.0, 1.0),
        "true_negative_rate": (0.0, 1.0),
        "predictive_value": (0.0, 1.0),
        "missed_per_1000": (0.0, 1000.0),
        "false_per_1000": (0.0, 1000.0),
    }
)
"""Those of `Decisions` with their limits for any people (`_limits`: for those at hand); each column
has "_low" and "_high" beside it."""
RATIOS = ("true_positive_rate", "true_negative_rate", "predictive_value")
"""Those that are ratios of mean counts, so that they agree with the counts beside them."""
COLUMNS = (*OF_MODEL, "threshold", *with_ends(MEASURES), "runs", "splits")
ROUNDING = 1e-12
"""Gain below which a model counts as worth no more than treating everybody."""


def decided(
    study: ClinicStudy,
    *,
    records: Table | None = None,
    costs: tuple[float, float] | None = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """Tabulate what deciding by the study's models leads to, at each threshold. Not private."""
    priced = None if costs is None else Costs(*costs)
    report = stoppable(progress, cancelled)
    models = judged_models(study, records_of(study.study, records, report), report)
    table = _decision_rows(study, models)
    return table if priced is None else priced.added(table)


def calibrated(
    study: ClinicStudy,
    *,
    records: Table | None = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """Tabulate whether the models' risks are right, in bins of as many people. Not private."""
    report = stoppable(progress, cancelled)
    return _calibration_rows(
        study, judged_models(study, records_of(study.study, records, report), report)
    )


def task(study: ClinicStudy, path: str = "") -> StudyTask:
    return StudyTask(study, work, path)


def work(study: ClinicStudy, context: JobContext) -> Outcome:
    """`decided` and `calibrated` of the same models; all rows come at the end."""
    report = stoppable(context.report, context.cancelled)
    models = judged_models(study, records_of(study.study, context.records, report), report)
    rows = both_tables(study, models)
    report(1.0, "done")
    return Outcome(rows)


def both_tables(study: ClinicStudy, models: Sequence[Judged]) -> pd.DataFrame:
    """The rows of a job: those of `decided`, then those of `calibrated`."""
    import pandas as pd

    tables = [_decision_rows(study, models), _calibration_rows(study, models)]
    return pd.concat(tables, ignore_index=True)


def decision_part(rows: pd.DataFrame) -> pd.DataFrame:
    """Pick the rows of `decided` out of a job's rows."""
    return rows.loc[rows["threshold"].notna(), list(COLUMNS)].reset_index(drop=True)


def calibration_part(rows: pd.DataFrame) -> pd.DataFrame:
    """Pick the rows of `calibrated` out of a job's rows."""
    some = rows.loc[rows["bin"].notna(), list(reliability.COLUMNS)].reset_index(drop=True)
    return some.astype({"bin": int})


def worth_from(rows: pd.DataFrame, threshold: float, column: str = "net_benefit") -> float | None:
    """The least proved ε from which on a model is worth more than treating all or nobody."""
    here = rows[rows["threshold"] == threshold]
    bar = max(0.0, float(here.loc[here["method"] == TREAT_ALL, "net_benefit"].iloc[0]))
    proved = here[here["status"] == str(Status.PROVED)].sort_values("epsilon")
    return crossing(proved, column, bar + ROUNDING)


def _decision_rows(study: ClinicStudy, models: Sequence[Judged]) -> pd.DataFrame:
    import pandas as pd

    tables = [_of_models(study, one) for one in models]
    tables += [_treated(study, models[0].splits, method) for method in (TREAT_ALL, TREAT_NONE)]
    return pd.concat(tables, ignore_index=True)[list(COLUMNS)]


def _calibration_rows(study: ClinicStudy, models: Sequence[Judged]) -> pd.DataFrame:
    import pandas as pd

    return pd.concat([reliability_rows(one, study.bins) for one in models], ignore_index=True)


def _of_models(study: ClinicStudy, models: Judged) -> pd.DataFrame:
    split_decisions = [decisions(*one, study.thresholds) for one in models.risks]
    if models.calibration is None:
        return _table(study, split_decisions).assign(**of_model(models))
    runs = [len(one.true_positives) for one in split_decisions]
    places = split_of_each(runs)
    return _table(study, split_decisions, places).assign(**of_model(models) | {"runs": sum(runs)})


def _treated(study: ClinicStudy, parts: Sequence[Split], method: str) -> pd.DataFrame:
    treated, title = (1.0, "treat all") if method == TREAT_ALL else (0.0, "treat none")
    split_decisions = [
        decisions(np.full(len(one.y_test), treated), one.y_test > 0, study.thresholds)
        for one in parts
    ]
    return _table(study, split_decisions).assign(**NONE | {"method": method, "title": title})


def _table(
    study: ClinicStudy, split_decisions: Sequence[Decisions], places: Array | None = None
) -> pd.DataFrame:
    """Measures at each threshold: spread over runs, or without `places` a mean over splits."""
    import pandas as pd

    values = {
        name: np.concatenate([getattr(one, name) for one in split_decisions]) for name in MEASURES
    }
    average = _average(study, split_decisions, places)
    ratios = {name: getattr(average, name)[0] for name in RATIOS}
    measures = summarised(_limits(split_decisions, values["net_benefit"]), values, places, ratios)
    columns = {"threshold": study.thresholds, **measures}
    return pd.DataFrame(columns).assign(runs=1, splits=len(split_decisions))


def _average(
    study: ClinicStudy, split_decisions: Sequence[Decisions], places: Array | None
) -> Decisions:
    found = np.concatenate([one.true_positives for one in split_decisions])
    alarms = np.concatenate([one.alarms for one in split_decisions])
    shares = np.concatenate([np.full((len(one.alarms), 1), one.share) for one in split_decisions])
    means = [over_runs(each, places)[0].astype(np.float64) for each in (found, alarms, shares)]
    return Decisions(np.array(study.thresholds), means[0][None], means[1][None], means[2].item())


def _limits(split_decisions: Sequence[Decisions], benefits: Array) -> Limits:
    """`MEASURES` within what their share of cases leaves possible on an average split.

    Of a net benefit, (runs, T), the high end lies not above that of all runs, either. It is skewed
    at high thresholds, and runs counted from the mean of two on a split are not.
    """
    share = float(np.mean([one.share for one in split_decisions]))
    healthy = 1.0 - share
    _, _, high = spread(benefits, axis=0)
    return {
        **MEASURES,
        "net_benefit": (-split_decisions[0].weights * healthy, np.minimum(high, share)),
        "missed_per_1000": (0.0, 1000.0 * share),
        "false_per_1000": (0.0, 1000.0 * healthy),
    }
