"""Loading records, and measuring methods and trainings on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dpcore.errors import InvalidInput, naming_extras, reject
from dpcore.progress import Progress, silent

if TYPE_CHECKING:
    from datetime import date
    from os import PathLike

    import pandas as pd

    from dpcore.datasets import Table
    from dpcore.evaluation.models import ModelStudy
    from dpcore.evaluation.study import Study
    from dpcore.evaluation.training import TrainingStudy


def load(
    dataset: str,
    *,
    records: int | None = None,
    seed: int = 0,
    file: str | PathLike[str] | None = None,
    columns: str = "",
    progress: Progress | None = None,
) -> Table:
    """The records of a data set, by its name or from a file; `prepare` makes a matrix of them.

    Parameters
    ----------
    dataset : str
        Name in the catalogue, or "own" for the user's own table.
    records : int, optional
        For "cohort" only: how many patients, 100 to 1,000,000 (3,000 where it is left out).
    seed : int
        For "cohort" only: which patients.
    file : path, optional
        Path of a file (CSV) to read instead of the copy at hand; recognised by its checksum, or
        else every row is checked. The user's own table comes in one.
    columns : str
        Description of the columns of the user's own table (`dpcore.datasets.own.notation`); public,
        and never taken from the records.
    progress : callable, optional
        Called with (share done, message) while a set is downloaded.

    Returns
    -------
    Table
        Decoded, not yet prepared.

    Raises
    ------
    InvalidInput
        If there is no such set, or the file is malformed.
    DataUnavailable
        If the set is not at hand and can't be obtained; the sentence says what to do.

    Examples
    --------
    >>> import dpcore
    >>> len(dpcore.load("breast_cancer").frame)
    569
    """
    from dpcore import datasets

    if file is None:
        if columns:
            raise InvalidInput("columns are described, but no file is named that has them.")
        return datasets.load(dataset, records=records, seed=seed, progress=progress)
    if records is not None:
        raise reject("records", records, "left out where a file is named")
    from pathlib import Path

    from dpcore.datasets.files import contents
    from dpcore.datasets.limits import LARGEST_TABLE
    from dpcore.datasets.text import LARGEST_UPLOAD
    from dpcore.front.limited_reading import read_limited

    most = LARGEST_TABLE if dataset == datasets.OWN else LARGEST_UPLOAD
    # One byte more than allowed: reading then reports that it is too large.
    data = contents("file", str(file), most)
    name = Path(file).name
    return read_limited(datasets.read_upload, data, name, key=dataset, columns=columns)


def cost(study: Study, **options: Any) -> pd.DataFrame:
    """What privacy costs: accuracy and what is beside it, by each method at each ε.

    Noise comes from the study's seed: for exploration only.

    Parameters
    ----------
    study : Study
        It names the data, the methods, ε and the adjacency.
    **options
        `records` (from `load`, where at hand), `progress` and `cancelled`, as of
        `dpcore.questions.cost.question.answers`.

    Returns
    -------
    DataFrame
        One row a method and ε: in closed form where there is one, else sampled; then the model
        without privacy. "same λ, no noise" is the method ``nonprivate``. What is measured is
        computed on real records, and is not private.

    Raises
    ------
    InvalidInput
        If the study does not fit its data.

    Examples
    --------
    >>> import dpcore
    >>> study = dpcore.Study(dataset="breast_cancer", methods=("opera",), epsilons=(1.0,))
    >>> dpcore.cost(study)["method"].tolist()
    ['opera', 'without privacy']
    """
    from dpcore.questions.cost.question import table

    return table(study, **options)


def explore(
    study: Study | ModelStudy,
    *,
    thresholds: Sequence[float] | None = None,
    by: str | None = None,
    bins: int | None = None,
    curves_of: Sequence[str] | None = None,
    by_hand: Mapping[str, Mapping[str, float]] | None = None,
    run: int = 1,
    corrected: bool = False,
    **options: Any,
) -> pd.DataFrame:
    """What decisions are worth, how right risks are, or what columns say.

    Noise comes from the study's seed: for exploration only.

    Parameters
    ----------
    study : Study or ModelStudy
        It names the adjacency. Decisions and risks need logistic regression on two classes. A model
        of the survey is judged by its own measure alone.
    thresholds : sequence of float, optional
        Risks above 0 and below 1 from which on one acts.
    by : str, optional
        With a single threshold: the column whose groups are compared (0.5 where none is named).
    bins : int, optional
        Of about as many people each, in which risks are compared with what happened.
    curves_of : sequence of str, optional
        Columns whose curves are told, in log odds and as risks; every one that the models use if it
        is empty.
    by_hand : mapping, optional
        Heights in log odds that a person gives to terms of columns, ``{"age": {"line": 0.5}}``:
        tells every term of the model of one run, and what the correction changes on test records.
        ``{}`` corrects nothing, and tells the terms that there are.
    run : int
        Whose model is corrected by hand, from 1.
    corrected : bool
        Whether risks are corrected by noisy counts within the same ε; not for curves.
    **options
        With thresholds of `dpcore.evaluation.clinic.task.decided`, with bins of `calibrated`
        there, with `by` of `dpcore.evaluation.clinic.group_task.compared`, with `curves_of` of
        `dpcore.evaluation.clinic.column_curves.charted`, or with `by_hand` of
        `dpcore.evaluation.clinic.by_hand.corrected`: `records` (from `load`, where at hand),
        `progress`, `cancelled`, and with thresholds alone `costs`.

    Returns
    -------
    DataFrame
        With thresholds one row a method, ε and threshold, then those of the model without privacy,
        of treating everybody and of treating nobody. With `by` one row a method, ε, measure and
        group; with bins one row a method, ε and bin, with `curves_of` one row a method, ε, column
        and value, with `by_hand` one row a method, ε and term, then one a measure. Of a
        `ModelStudy` one row a series and ε. What is measured is computed on real records, and is
        not private.

    Raises
    ------
    InvalidInput
        If nothing of these is asked for (`cost` tells accuracy against ε), the study does not fit
        its data, a threshold or the number of bins is out of range, there
        is no such column, or risks are to be corrected that cannot be.
    """
    from dpcore.evaluation.models import ModelStudy, curve, summary

    if isinstance(study, ModelStudy):
        if corrected or any(one is not None for one in (thresholds, by, bins, curves_of, by_hand)):
            raise InvalidInput("study is a ModelStudy, but only a Study has other tables than one.")
        return summary(curve(study, table=options.pop("records", None), **options))
    if bins is not None and (thresholds is not None or by is not None):
        raise InvalidInput("bins are given with thresholds or by, but one table has only either.")
    if by_hand is not None:
        if corrected or any(one is not None for one in (thresholds, by, bins, curves_of)):
            raise InvalidInput("by_hand is given with what tells another table, but stands alone.")
        from dpcore.evaluation.clinic import by_hand as hand
        from dpcore.evaluation.clinic.hand_edits import corrections_of

        return hand.corrected(hand.HandStudy(study, corrections_of(by_hand), run), **options)
    if curves_of is not None:
        if corrected or any(given is not None for given in (thresholds, by, bins)):
            raise InvalidInput("curves_of is given with what judges risks, but must stand alone.")
        from dpcore.evaluation.clinic.column_curves import ColumnStudy, charted

        return charted(ColumnStudy(study, tuple(curves_of)), **options)
    if by is not None:
        from dpcore.evaluation.clinic.group_task import GroupStudy, compared
        from dpcore.evaluation.clinic.study import ClinicStudy

        levels = (0.5,) if thresholds is None else tuple(thresholds)
        judged = ClinicStudy(study, levels, corrected=corrected)
        return compared(GroupStudy(judged, by), **options)
    if thresholds is not None:
        from dpcore.evaluation.clinic.study import ClinicStudy
        from dpcore.evaluation.clinic.task import decided

        return decided(ClinicStudy(study, tuple(thresholds), corrected=corrected), **options)
    if bins is not None:
        from dpcore.evaluation.clinic.study import ClinicStudy
        from dpcore.evaluation.clinic.task import calibrated

        return calibrated(ClinicStudy(study, bins=bins, corrected=corrected), **options)
    raise InvalidInput(
        "explore is asked for no thresholds, bins, columns or groups; dpcore.cost(study) tells "
        "accuracy against ε."
    )


def report(
    study: Study,
    epsilon: float = 1.0,
    method: str = "best",
    *,
    threshold: float | None = None,
    by: str | None = None,
    corrected: bool = False,
    title: str = "",
    day: date | None = None,
    **options: Any,
) -> str:
    """One private model at one ε as a report of a page or two, with the TRIPOD+AI checklist.

    Noise comes from the study's seed: for exploration only. The report holds no model.

    Parameters
    ----------
    study : Study
        The data, and everything but the method; its ε and that of the report make the curve.
    epsilon : float
        The total ε of the model.
    method : str
        Key of a private method; "best" for what a fixed rule takes at this ε.
    threshold : float, optional
        Judge risks too, and decisions from this risk on, above 0 and below 1. It needs logistic
        regression on two classes.
    by : str, optional
        The column whose groups are compared (from a risk of 0.5 on where no threshold is given).
    corrected : bool
        Whether the risks that are judged are corrected by noisy counts within the same ε.
    title : str
        By default the data set, the method and ε.
    day : date, optional
        The date on it; today.
    **options
        `records` (from `load`, where at hand), `progress` and `cancelled`, as of `explore`.

    Returns
    -------
    str
        A whole file of HTML, without script and without anything from elsewhere, for A4. Parts
        computed from real records are marked in it, and are not private.

    Raises
    ------
    InvalidInput
        If the method adds no noise, risks are to be corrected that cannot be or are not judged, or
        something does not fit the data.
    """
    from datetime import date as calendar

    from dpcore.export.report.build import report as built
    from dpcore.export.report.gather import gathered
    from dpcore.export.report.html import html

    findings = gathered(
        study, epsilon, method, threshold=threshold, by=by, corrected=corrected, **options
    )
    return html(built(findings, calendar.today() if day is None else day, title))


@naming_extras()
def train(study: TrainingStudy, **options: Any) -> pd.DataFrame:
    """A network's private training, one row a run and epoch.

    Batches and noise come from the configuration's seed: for exploration only.

    Parameters
    ----------
    study : TrainingStudy
        Its `config`, a `dpcore.TrainingConfig`, holds the training settings and the adjacency.
    **options
        As of `dpcore.evaluation.training.train`: `device`, `progress`, `cancelled`.

    Returns
    -------
    DataFrame
        What is measured is computed on real records, and is not private.

    Raises
    ------
    InvalidInput
        If the study does not fit its data.
    MissingPackage
        If torch is not installed.
    """
    from dpcore.evaluation.training import task

    return task.train(study, **options)


@naming_extras()
def vary(
    study: TrainingStudy,
    setting: str,
    values: Sequence[float] | None = None,
    *,
    gives_way: str | None = None,
    progress: Progress = silent,
) -> pd.DataFrame:
    """The effect of one setting on a private training within the same ε, one row a value.

    A setting can't be changed alone at a fixed ε: the noise or the epochs give way. Batches and
    noise come from the configuration's seed: for exploration only.

    Parameters
    ----------
    study : TrainingStudy
        Its ε is the target; without one its budget, or else the ε of its own σ₀. Its
        configuration names the adjacency.
    setting : str
        "decay", "sigma", "clip", "batch" or "units".
    values : sequence of float, optional
        Values to compare; by default the present one and some around it.
    gives_way : str, optional
        "noise": σ₀ is solved anew. "epochs": as many are run as σ₀ affords. By default the
        setting's usual one.
    progress : callable
        Called with (fraction done, message).

    Returns
    -------
    DataFrame
        Where the training with each value ended, as of `dpcore.evaluation.effects.ends`. What is
        measured is computed on real records, and is not private.

    Raises
    ------
    InvalidInput
        If a value is out of range, the setting has no effect here, or not even one step fits.
    MissingPackage
        If torch is not installed.
    """
    from dpcore.datasets import images
    from dpcore.evaluation import effects
    from dpcore.evaluation.task import JobContext
    from dpcore.evaluation.training.task import swept

    effect = effects.effect(setting)
    examples = images.load(study.dataset, **dict(study.settings))
    records = study.trained_on(examples.records)
    chosen = effect.values(study, records, gives_way) if values is None else tuple(values)
    sweep = effect.sweep(study, records, chosen, gives_way)
    return effects.ends(effect, chosen, sweep, swept(sweep, JobContext(progress)).rows)
