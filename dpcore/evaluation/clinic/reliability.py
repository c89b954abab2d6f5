"""Whether private models' risks are right, as one tidy table.

One row a (method, ε, bin), bin 1 with the lowest risks, then the model without privacy.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from dpcore.evaluation.clinic.calibration import risk_calibration
from dpcore.evaluation.clinic.risks import Judged
from dpcore.evaluation.clinic.rows import (
    OF_MODEL,
    Limits,
    of_model,
    split_of_each,
    summarised,
    with_ends,
)

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
