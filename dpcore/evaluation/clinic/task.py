"""Decisions by private models as one tidy table: net benefit and what it is made of.

One row a (method, ε, threshold), with the band from 5 % to 95 % of single runs; then the model
without privacy, treating everybody and treating nobody, which have no noise and so no band. On
several splits everything is the mean over them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.datasets import Split, Table, load
from dpcore.erm.method import Array, Calibration
from dpcore.evaluation.clinic.costs import Costs
from dpcore.evaluation.clinic.decision_curve import Decisions, decisions
from dpcore.evaluation.clinic.risks import Judged, reference, released
from dpcore.evaluation.clinic.study import ClinicStudy, check_data
from dpcore.evaluation.curves import calibration_table
from dpcore.evaluation.frontier import crossing
from dpcore.evaluation.scoring import spread_over
from dpcore.evaluation.splits import enough_runs, splits
from dpcore.evaluation.task import JobContext, Outcome, StudyTask, stoppable
from dpcore.guarantee import Status
from dpcore.methods import method_named
from dpcore.progress import Progress, section, silent

if TYPE_CHECKING:
    import pandas as pd

REFERENCE, TREAT_ALL, TREAT_NONE = "reference", "treat_all", "treat_none"
"""Methods of the rows that need no noise."""
MEASURES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "net_benefit": (-math.inf, 1.0),
        "true_positive_rate": (0.0, 1.0),
        "true_negative_rate": (0.0, 1.0),
        "predictive_value": (0.0, 1.0),
        "missed_per_1000": (0.0, 1000.0),
        "false_per_1000": (0.0, 1000.0),
    }
)
"""Those of `Decisions` with their limits; each column has "_low" and "_high" beside it."""
OF_NOISE = ("edition", "epsilon", "delta", "adjacency", "status", "accountant")
COLUMNS = (
    "method",
    "title",
    "baseline",
    *OF_NOISE,
    "threshold",
    *(f"{name}{end}" for name in MEASURES for end in ("", "_low", "_high")),
    "runs",
    "splits",
)
ROUNDING = 1e-12
"""Nobody gains by less: what treats everybody is worth as much as treating everybody."""


def decided(
    study: ClinicStudy,
    *,
    records: Table | None = None,
    costs: tuple[float, float] | None = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """What deciding by the study's models leads to, at each threshold.

    Parameters
    ----------
    study : ClinicStudy
    records : Table, optional
        The records, where at hand; loaded by the study's description otherwise.
    costs : (float, float), optional
        Of a missed case and of a false alarm: adds what wrong decisions cost (`Costs.added`).
    progress : callable
        Called with (fraction done, message).
    cancelled : callable
        Asked between training steps; once it answers True, `Cancelled` is raised.

    Returns
    -------
    DataFrame
        `COLUMNS`; rates are shares, ``predictive_value`` the mean over the runs in which anybody is
        treated; ``baseline`` tells what the model without privacy is. Measured on real records, and
        not private.

    Raises
    ------
    InvalidInput
        If the data have no two classes or do not fit the study, or a cost is out of range.
    """
    import pandas as pd

    priced = None if costs is None else Costs(*costs)
    report = stoppable(progress, cancelled)
    if records is None:
        report(0.0, "loading the data")
        records = load(study.study.dataset, records=study.study.records)
    check_data(records.entry)
    parts = splits(records, study.study.preparation)
    runs = enough_runs(study.study.runs, len(parts))
    study = replace(study, study=replace(study.study, runs=runs))
    models = released(study, parts, section(report, 0.0, 0.5))
    tables = []
    for place, one in enumerate(models):
        report(0.5 + 0.2 * place / len(models), "counting decisions")
        tables.append(_rows(study, one))
    tables.append(_rows(study, reference(study, records, section(report, 0.7, 0.3))))
    tables += [_treated(study, models[0].splits, method) for method in (TREAT_ALL, TREAT_NONE)]
    report(1.0, "done")
    table = pd.concat(tables, ignore_index=True)[list(COLUMNS)]
    return table if priced is None else priced.added(table)


def task(study: ClinicStudy, path: str = "") -> StudyTask:
    """The study as a task for a worker; an upload's records wait at `path`."""
    return StudyTask(study, work, path)


def work(study: ClinicStudy, context: JobContext) -> Outcome:
    """`decided`; all rows come at the end."""
    return Outcome(
        decided(
            study,
            records=context.records,
            progress=context.report,
            cancelled=context.cancelled,
        )
    )


def worth_from(rows: pd.DataFrame, threshold: float, column: str = "net_benefit") -> float | None:
    """The least proved ε from which on a model is worth more than treating all or nobody.

    Parameters
    ----------
    rows : DataFrame
        From `decided`, of one private model at each ε; and those of treating everybody.
    threshold : float
        One of the table's.
    column : str
        "net_benefit" for the mean of single runs, "net_benefit_low" for all but one in twenty.

    Returns
    -------
    float or None
        ``None`` where it is not at the largest ε.
    """
    here = rows[rows["threshold"] == threshold]
    bar = max(0.0, float(here.loc[here["method"] == TREAT_ALL, "net_benefit"].iloc[0]))
    proved = here[here["status"] == str(Status.PROVED)].sort_values("epsilon")
    return crossing(proved, column, bar + ROUNDING)


def _rows(study: ClinicStudy, models: Judged) -> pd.DataFrame:
    """The rows of models of one kind."""
    found = [decisions(*one, study.thresholds) for one in models.risks]
    if models.calibration is None:
        rows = _without_noise(study, REFERENCE, "without privacy", found)
        return rows.assign(baseline=models.title)
    runs = [len(one.found) for one in found]
    return _table(study, found, np.repeat(np.arange(len(found)), runs)).assign(
        **of_noise(models.calibration), runs=sum(runs)
    )


def _treated(study: ClinicStudy, parts: Sequence[Split], method: str) -> pd.DataFrame:
    """The rows of treating everybody, or nobody."""
    treated, title = (1.0, "treat all") if method == TREAT_ALL else (0.0, "treat none")
    found = [
        decisions(np.full(len(one.y_test), treated), one.y_test > 0, study.thresholds)
        for one in parts
    ]
    return _without_noise(study, method, title, found)


def _without_noise(
    study: ClinicStudy, method: str, title: str, found: Sequence[Decisions]
) -> pd.DataFrame:
    """Rows whose band is the mean: splits are no noise."""
    none = dict.fromkeys(("baseline", *OF_NOISE), "") | {"epsilon": math.nan, "delta": math.nan}
    status = str(Status.NOT_PRIVATE) if method == REFERENCE else ""
    return _table(study, found).assign(method=method, title=title, **none | {"status": status})


def _table(
    study: ClinicStudy, found: Sequence[Decisions], places: Array | None = None
) -> pd.DataFrame:
    """Measures at each threshold: spread over runs, or without `places` a mean over splits."""
    import pandas as pd

    columns: dict[str, object] = {"threshold": study.thresholds}
    for name, (least, most) in MEASURES.items():
        values = np.concatenate([getattr(one, name) for one in found])
        if places is None:
            mean = low = high = defined_mean(values)
        else:
            mean, low, high = defined_spread(values, places)
        # Over several splits a band is widened, maybe beyond what there is.
        ends = np.maximum(low, least), np.minimum(high, most)
        columns |= zip((name, f"{name}_low", f"{name}_high"), (mean, *ends), strict=True)
    return pd.DataFrame(columns).assign(runs=1, splits=len(found))


def defined_mean(values: Array) -> Array:
    """Means over the first axis of the values that are not nan; (T,)."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=0)
    total = np.where(defined, values, 0.0).sum(axis=0)
    return np.asarray(np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0))


def defined_spread(values: Array, places: Array) -> tuple[Array, Array, Array]:
    """`spread_over` at each threshold of the runs that have a value there; each (T,)."""
    defined = ~np.isnan(values)
    whole = defined.all(axis=0)
    result = np.full((3, values.shape[1]), np.nan)
    if whole.any():
        result[:, whole] = spread_over(values[:, whole], places)
    for at in np.flatnonzero(defined.any(axis=0) & ~whole):
        some = defined[:, at]
        result[:, at] = spread_over(values[some, at], places[some])
    mean, low, high = result
    return mean, low, high


def of_noise(calibration: Calibration) -> dict[str, Any]:
    """The method, and what is proved of it."""
    row = calibration_table({calibration.method: [calibration]}).iloc[0]
    return {
        "method": calibration.method,
        "title": method_named(calibration.method).title,
        "baseline": "",
        **{name: row[name] for name in OF_NOISE},
    }
