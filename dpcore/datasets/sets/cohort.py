"""A synthetic clinical cohort whose true model is known: any size, nobody's data.

The label follows a logistic model in the publicly scaled columns (`TRUE_MODEL`), so that the best
possible accuracy (`bayes_accuracy`) is known and the cost of privacy can be separated from what is
simply unpredictable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.schema import Action, Column, Entry, FollowUp, Label, Table, category, number
from dpcore.datasets.sources import BuiltIn
from dpcore.errors import whole
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd

MIN, MAX, USUAL = 100, 1_000_000, 3_000
FURTHER = 10_000
"""Patients that models are judged on, the same for every size of the cohort."""
_BLOCK = 4_096
"""Patients drawn at a time. Each block has its own generator, so that the first n patients of a
larger cohort are the cohort of n."""

_drawn = partial(number, bounds_from="codebook")

ENTRY = Entry(
    key="cohort",
    title="Synthetic clinical cohort",
    records_are="patients",
    source="drawn here from a known model; no real person",
    licence="Apache-2.0, like the program",
    citation="This program.",
    task="Predict an unplanned admission within 12 months.",
    action=Action(
        risk=25,
        why="Three calls in vain weigh as much as one missed admission.",
        cases="admissions",
        acts="call",
        others="others in vain",
    ),
    label=Label(
        "admitted",
        positive="unplanned admission within 12 months",
        negative="no unplanned admission within 12 months",
    ),
    records=USUAL,
    further=FURTHER,
    made_up=True,
    follow_up=FollowUp(
        time=_drawn(
            "followed",
            "time followed after that year",
            (0, 60),
            "The generator follows nobody longer than five years.",
            "months",
        ),
        event=Column("died", "indicator", "died while followed"),
    ),
    columns=(
        _drawn("age", "age", (18, 100), "The generator draws adults and nobody over 100.", "years"),
        category("sex", "sex", "female, male"),
        _drawn(
            "systolic_pressure",
            "systolic blood pressure",
            (80, 220),
            "The generator stays within what an outpatient clinic measures.",
            "mmHg",
        ),
        _drawn(
            "bmi",
            "body mass index",
            (14, 55),
            "The generator stays between severe underweight and severe obesity.",
            "kg/m²",
        ),
        _drawn(
            "hba1c",
            "glycated haemoglobin",
            (4, 14),
            "The generator stays within the range of common analysers.",
            "%",
        ),
        _drawn(
            "egfr",
            "estimated glomerular filtration rate",
            (10, 120),
            "The generator stays between dialysis and a healthy young kidney.",
            "ml/min/1.73 m²",
        ),
        _drawn("medicines", "medicines taken regularly", (0, 20), "The generator counts to 20."),
        _drawn(
            "admissions_last_year",
            "admissions in the last twelve months",
            (0, 6),
            "The generator counts to 6, meaning six or more.",
        ),
        Column("smoker", "indicator", "smokes"),
        Column("lives_alone", "indicator", "lives alone"),
    ),
    traps=(
        "Synthetic: nothing learned here is about patients.",
        "The columns are correlated as they would be in a clinic. Single weights are harder to "
        "recover than the accuracy.",
    ),
    how_to_get=f"It is built in, with {MIN} to {spaced(MAX)} patients.",
)


@dataclass(frozen=True)
class TrueCohortModel:
    """The logistic model that the labels are drawn from."""

    intercept: float  # log odds with numbers mid-bounds and indicators 0
    # Log odds for half the width of a number's bounds, or for a yes or ``"sex = male"``.
    coefficients: Mapping[str, float] = field(hash=False)


TRUE_MODEL = TrueCohortModel(
    intercept=5.0,
    coefficients=MappingProxyType(
        {
            "age": 2.4,
            "sex = male": 0.3,
            "systolic_pressure": 1.2,
            "bmi": 0.9,
            "hba1c": 2.2,
            "egfr": -1.8,
            "medicines": 2.4,
            "admissions_last_year": 3.4,
            "smoker": 1.0,
            "lives_alone": 0.6,
        }
    ),
)


def probability(frame: pd.DataFrame) -> NDArray[np.float64]:
    """The true probability of admission of each patient, shape (n,)."""
    return _sigmoid(_log_odds({name: frame[name].to_numpy() for name in frame.columns}))


@dataclass(frozen=True)
class TrueSurvivalLaw:
    """The law of times to death: exp(-h (t / span)^shape), with log h linear in three columns.

    Who is still there leaves at a time that depends on nothing, even between two ends, or at 60.
    """

    span: float = 60.0  # months
    shape: float = 1.2
    intercept: float = -0.9  # log h at 58 years
    decade: float = 0.45  # of age
    male: float = 0.4
    admitted: float = 0.5
    leaves: tuple[float, float] = (6.0, 96.0)  # months


SURVIVAL_LAW = TrueSurvivalLaw()


def survival(table: Table, months: float) -> NDArray[np.float64]:
    """The true probability of each patient to live so long after the year, shape (n,)."""
    patients: dict[str, NDArray[np.generic]] = {
        name: table.frame[name].to_numpy() for name in ("age", "sex")
    }
    hazard = _hazard(patients | {"admitted": table.label})
    return np.asarray(np.exp(-hazard * (months / SURVIVAL_LAW.span) ** SURVIVAL_LAW.shape))


def bayes_accuracy(table: Table) -> float:
    """Expected accuracy on these patients of the best possible rule, the true model at ½.

    It is the mean over patients of max(p, 1 − p); no classifier, private or not, beats it on
    average over the drawing of the labels.
    """
    probabilities = probability(table.frame)
    return float(np.mean(np.maximum(probabilities, 1 - probabilities)))


def build(records: int | None, seed: int) -> Table:
    """Draw 100 to 1,000,000 patients, usually 3,000, and 10,000 further ones to judge models on."""
    count = USUAL if records is None else whole("records", records, at_least=MIN, at_most=MAX)
    seed = whole("seed", seed, at_least=0, at_most=2**63 - 1)
    patients = draw_patients(count, seed)
    further = draw_patients(FURTHER, seed, 1)
    return replace(patients, further=further, follow_up=draw_follow_up(patients, seed))


def draw_patients(count: int, seed: int, stream: int = 0) -> Table:
    """Draw so many patients of a stream, without their times."""
    import pandas as pd

    blocks = [_block(seed, index, stream) for index in range(-(-count // _BLOCK))]
    columns: dict[str, object] = {}
    for column in ENTRY.columns:
        values = np.concatenate([block[column.name] for block in blocks])[:count]
        columns[column.name] = (
            pd.Categorical.from_codes(values.astype(np.int64), categories=pd.Index(column.levels))
            if column.kind == "category"
            else values
        )
    label = np.concatenate([block["admitted"] for block in blocks])[:count].astype(np.int8)
    return Table(ENTRY, pd.DataFrame(columns), label)


def _block(seed: int, index: int, stream: int) -> dict[str, NDArray[np.float64]]:
    generator = np.random.default_rng(np.random.SeedSequence([seed, index, stream]))
    normal = generator.standard_normal((6, _BLOCK))
    uniform = generator.random((4, _BLOCK))
    age = _clip("age", np.round(58 + 17 * normal[0]))
    male = (uniform[0] < 0.47).astype(float)
    bmi = _clip("bmi", np.round(27 + 4.8 * normal[1], 1))
    systolic = _clip(
        "systolic_pressure", np.round(129 + 0.35 * (age - 58) + 0.9 * (bmi - 27) + 15 * normal[2])
    )
    # Skewed to the right as blood sugar is, and higher with weight and age.
    hba1c = _clip(
        "hba1c",
        np.round(5.1 + np.exp(-0.1 + 0.05 * (bmi - 27) + 0.01 * (age - 58) + 0.7 * normal[3]), 1),
    )
    egfr = _clip("egfr", np.round(84 - 0.75 * (age - 58) - 2 * (hba1c - 6) + 15 * normal[4]))
    smoker = (uniform[1] < 0.24 - 0.002 * (age - 58)).astype(float)
    alone = (uniform[2] < _sigmoid(-1.3 + 0.03 * (age - 58))).astype(float)
    medicines = _clip(
        "medicines",
        np.floor(np.maximum(0, 4.5 + 0.09 * (age - 58) + 0.9 * (hba1c - 6) + 2.8 * normal[5])),
    )
    illness = 0.12 + 0.07 * medicines + 0.06 * np.maximum(0, 60 - egfr) / 10
    admissions = _clip("admissions_last_year", generator.poisson(illness).astype(float))
    patients = {
        "age": age,
        "sex": male,
        "systolic_pressure": systolic,
        "bmi": bmi,
        "hba1c": hba1c,
        "egfr": egfr,
        "medicines": medicines,
        "admissions_last_year": admissions,
        "smoker": smoker,
        "lives_alone": alone,
    }
    patients["admitted"] = np.where(uniform[3] < _sigmoid(_log_odds(patients)), 1.0, -1.0)
    return patients


def draw_follow_up(patients: Table, seed: int) -> pd.DataFrame:
    """Draw how long each is followed, and who dies; all else stays as it is without."""
    import pandas as pd

    count, law = patients.records, SURVIVAL_LAW
    uniform = np.concatenate(
        [
            np.random.default_rng(np.random.SeedSequence([seed, index, 2])).random((2, _BLOCK))
            for index in range(-(-count // _BLOCK))
        ],
        axis=1,
    )[:, :count]
    columns: dict[str, NDArray[np.generic]] = {
        "age": patients.frame["age"].to_numpy(),
        "sex": patients.frame["sex"].cat.codes.to_numpy(),
        "admitted": patients.label,
    }
    death = law.span * (-np.log1p(-uniform[0]) / _hazard(columns)) ** (1.0 / law.shape)
    first, last = law.leaves
    leaves = np.minimum(first + (last - first) * uniform[1], law.span)
    time, event = ENTRY.followed
    return pd.DataFrame(
        {time.name: np.minimum(death, leaves), event.name: (death <= leaves).astype(float)}
    )


def _hazard(patients: Mapping[str, NDArray[np.generic]]) -> NDArray[np.float64]:
    """Compute h of each patient in the law of survival."""
    law, sex = SURVIVAL_LAW, patients["sex"]
    decades = (np.asarray(patients["age"], dtype=float) - 58) / 10
    log_hazard = law.intercept + law.decade * decades
    log_hazard += law.male * np.asarray((sex == "male") | (sex == 1), dtype=float)
    log_hazard += law.admitted * np.asarray(patients["admitted"] == 1, dtype=float)
    return np.asarray(np.exp(log_hazard))


def _sigmoid(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    # Log odds here are far from where exp overflows, and scipy would double the import time.
    return 1.0 / (1.0 + np.exp(-log_odds))


def _clip(name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.clip(values, *ENTRY.column(name).bounds)


def _log_odds(patients: Mapping[str, NDArray[np.generic]]) -> NDArray[np.float64]:
    total = np.full(len(patients["age"]), TRUE_MODEL.intercept)
    for column in ENTRY.columns:
        values = patients[column.name]
        if column.kind == "category":
            male = (values == "male") | (values == 1)
            total += TRUE_MODEL.coefficients["sex = male"] * np.asarray(male, dtype=float)
        elif column.kind == "indicator":
            total += TRUE_MODEL.coefficients[column.name] * np.asarray(values, dtype=float)
        else:
            lower, upper = column.bounds
            scaled = (2 * np.asarray(values, dtype=float) - lower - upper) / (upper - lower)
            total += TRUE_MODEL.coefficients[column.name] * scaled
    return total


COHORT = BuiltIn(ENTRY, build)
