"""Whether private models' risks are right, as one tidy table.

One row a (method, ε, bin), bin 1 with the lowest risks, then the model without privacy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from dpcore.controls.control import Control, Number
from dpcore.datasets import Table
from dpcore.errors import whole
from dpcore.evaluation.clinic.calibration import BINS, MAX_BINS, risk_calibration
from dpcore.evaluation.clinic.risks import (
    OF_MODEL,
    Judged,
    Limits,
    judged_models,
    of_model,
    split_of_each,
    summarised,
    with_ends,
)
from dpcore.progress import Progress
from dpcore.questions.question import asked
from dpcore.questions.risks import RiskQuestion

if TYPE_CHECKING:
    import pandas as pd

OF_WHOLE: Limits = MappingProxyType(
    {
        "calibration_slope": (-math.inf, math.inf),
        "calibration_intercept": (-math.inf, math.inf),
        "calibration_error": (0.0, 1.0),
    }
)
OF_BIN: Limits = MappingProxyType({"mean_risk": (0.0, 1.0), "observed": (0.0, 1.0)})
COLUMNS = (
    *OF_MODEL,
    *with_ends(OF_WHOLE),
    "bin",
    "people",
    *with_ends(OF_BIN),
    "runs",
    "splits",
)


IN_BINS = Control(
    "bins",
    "Bins",
    Number(1, MAX_BINS, whole=True),
    default=BINS,
    option="bins",
    brief=f"of about as many people each; default: {BINS}",
)


@dataclass(frozen=True)
class CalibrationQuestion(RiskQuestion):
    """Whether the risks that a study's private models tell are right.

    Parameters
    ----------
    study : Study
        It names the adjacency; logistic regression on two classes.
    bins : int
        Of about as many people each, in which risks are compared with what happened.
    corrected : bool
        Whether risks are corrected by noisy counts within the same ε.

    Notes
    -----
    One row a method, ε and bin, then the model without privacy.
    """

    bins: int = asked(IN_BINS, default=BINS, drawn=False, takes="int")

    tab = "Calibration"
    doing = "Judging risks"
    table_is = "How right each model's risks are, at every ε and bin"
    examples = ("--dataset cohort --records 300 --methods opera --epsilon 1 --corrected",)

    def __post_init__(self) -> None:
        super().__post_init__()
        bins = whole("bins", self.bins, at_least=1, at_most=MAX_BINS)
        object.__setattr__(self, "bins", bins)

    def rows(self, records: Table, report: Progress) -> pd.DataFrame:
        return calibration_rows(self, judged_models(self.models, records, report))


QUESTION = CalibrationQuestion


def calibration_rows(study: CalibrationQuestion, models: Sequence[Judged]) -> pd.DataFrame:
    """The rows of models that are `judged_models` already."""
    import pandas as pd

    return pd.concat([reliability_rows(one, study.bins) for one in models], ignore_index=True)


def reliability_rows(models: Judged, bins: int) -> pd.DataFrame:
    """Make `COLUMNS` of models of one kind, a row a bin. Not private."""
    import pandas as pd

    calibrations = [risk_calibration(*one, bins) for one in models.log_odds]
    runs = [len(one.slope) for one in calibrations]
    places = None if models.calibration is None else split_of_each(runs)
    whole = {
        "calibration_slope": np.concatenate([one.slope for one in calibrations])[:, None],
        "calibration_intercept": np.concatenate([one.intercept for one in calibrations])[:, None],
        "calibration_error": np.concatenate([one.debiased_error for one in calibrations])[:, None],
    }
    binned = {name: np.concatenate([getattr(one, name) for one in calibrations]) for name in OF_BIN}
    people = np.concatenate([one.people for one in calibrations]).mean(axis=0)
    columns = {name: value[0] for name, value in summarised(OF_WHOLE, whole, places).items()}
    table = pd.DataFrame(
        {"bin": np.arange(1, bins + 1), "people": people, **summarised(OF_BIN, binned, places)}
    )
    counted = 1 if places is None else sum(runs)
    model_columns = of_model(models) | columns
    return table.assign(**model_columns, runs=counted, splits=len(calibrations))[list(COLUMNS)]
