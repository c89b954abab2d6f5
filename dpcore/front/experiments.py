"""Loading records, and measuring methods and trainings on them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from dpcore.datasets.parquet import is_parquet
from dpcore.datasets.text import quoted
from dpcore.errors import InvalidInput, naming_extras, reject
from dpcore.progress import Progress

if TYPE_CHECKING:
    from datetime import date
    from os import PathLike

    import pandas as pd

    from dpcore.datasets import Table
    from dpcore.evaluation.study import Study
    from dpcore.evaluation.training import TrainingStudy


MEGABYTES, SECONDS = 3_000, 600.0
"""Of reading one file; the largest that is taken needs 1,130 MB."""

Value = TypeVar("Value")


def read_limited(read: Callable[..., Value], data: bytes, filename: str, **others: object) -> Value:
    """The result of `read`; where only reading shows the memory needed, in a process apart."""
    call = partial(read, data=data, filename=filename, **others)
    if not is_parquet(data):
        return call()
    from dpcore.confined import Confined

    process = Confined(MEGABYTES, (read.__module__, "pyarrow.compute", "pyarrow.parquet"))
    try:
        result: Value = process.ask(f"Reading {quoted(filename)}", call, seconds=SECONDS)
        return result
    finally:
        process.close()


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

    from dpcore.datasets.faults import LARGEST_TABLE
    from dpcore.datasets.files import contents
    from dpcore.datasets.text import LARGEST_UPLOAD

    most = LARGEST_TABLE if dataset == datasets.OWN else LARGEST_UPLOAD
    # One byte more than allowed: reading then reports that it is too large.
    data = contents("file", str(file), most)
    name = Path(file).name
    return read_limited(datasets.read_upload, data, name, key=dataset, columns=columns)


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

    from dpcore.questions.report.build import report as built
    from dpcore.questions.report.findings import gathered
    from dpcore.questions.report.html import html

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
