"""Cardiovascular Disease: 70,000 check-ups. From Kaggle, which asks for an account."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets.schema import Action, Column, Entry, Label, RemoteFile, category, number
from dpcore.datasets.sources import FileSource, Remark, columns_of, fields_of
from dpcore.datasets.text import Layout
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd

_DAYS_A_YEAR = 365.25
_THREE_LEVELS = "normal, above normal, well above normal"

ENTRY = Entry(
    key="cardio",
    title="Cardiovascular disease (check-ups)",
    records_are="patients",
    source="Kaggle, sulianova/cardiovascular-disease-dataset",
    licence="None stated (Kaggle lists it as unknown), so it is not passed on here",
    citation="Ulianova, S. (2019). Cardiovascular Disease dataset. Kaggle.",
    task="Predict whether a patient has cardiovascular disease.",
    action=Action(
        risk=30,
        why="Two needless check-ups weigh about as much as one missed disease.",
        cases="sick",
        acts="call back",
        others="healthy",
    ),
    label=Label(
        "cardio",
        positive="cardiovascular disease",
        negative="no cardiovascular disease",
        codes=(("0", -1), ("1", 1)),
    ),
    records=70_000,
    columns=(
        number("age", "age (the file gives days)", (18, 90), "Check-ups of adults.", "years"),
        category("gender", "gender", "women, men", "1, 2"),
        number(
            "height",
            "height",
            (120, 220),
            "Almost all adults are between 120 and 220 cm tall.",
            "cm",
        ),
        number(
            "weight", "weight", (30, 180), "Almost all adults weigh between 30 and 180 kg.", "kg"
        ),
        number(
            "ap_hi",
            "systolic blood pressure",
            (60, 260),
            "Below 60 nobody walks to a check-up; above 260 a cuff cannot measure.",
            "mmHg",
        ),
        number(
            "ap_lo",
            "diastolic blood pressure",
            (30, 160),
            "Beyond 30 and 160 a diastolic reading is an error or an emergency.",
            "mmHg",
        ),
        category("cholesterol", "cholesterol", _THREE_LEVELS, "1, 2, 3"),
        category("gluc", "glucose", _THREE_LEVELS, "1, 2, 3"),
        Column("smoke", "indicator", "smokes", codes=("0", "1")),
        Column("alco", "indicator", "drinks alcohol", codes=("0", "1")),
        Column("active", "indicator", "is physically active", codes=("0", "1")),
    ),
    traps=(
        "age is in days; here it becomes years.",
        "Blood pressures from -150 to 16 020 occur (typing errors); they are clipped to the "
        "bounds, not repaired, and counted.",
        "The diastolic pressure is above the systolic one in 1 234 records; left as published.",
        "id is a number of the file, not of the patient's body, and is left out.",
        "The file separates fields by semicolons although it is called csv.",
    ),
    files=(
        RemoteFile(
            "cardio/cardio_train.csv",
            "21a705d23381b0dfd6a6416da701b490744f1fc3b47e9ff3db3968c420ffa10c",
        ),
    ),
    how_to_get="Sign in at kaggle.com, open the data set sulianova/cardiovascular-disease-dataset "
    "and download cardio_train.csv.",
)


def _decode(raw: pd.DataFrame) -> pd.DataFrame:
    frame = columns_of(ENTRY.columns, raw)
    frame["age"] /= _DAYS_A_YEAR
    return frame


def _remark(frame: pd.DataFrame) -> tuple[Remark, ...]:
    implausible = np.zeros(len(frame), dtype=bool)
    for name in ("ap_hi", "ap_lo"):
        lower, upper = ENTRY.column(name).bounds
        implausible |= ((frame[name] < lower) | (frame[name] > upper)).to_numpy()
    pressures = int(implausible.sum())
    crossed = int((frame["ap_lo"] > frame["ap_hi"]).sum())
    return (
        Remark(
            "implausible_pressure",
            pressures,
            f"{spaced(pressures)} patients have a blood pressure outside the public bounds.",
        ),
        Remark(
            "crossed_pressure",
            crossed,
            f"{spaced(crossed)} patients have a diastolic pressure above the systolic one; left as "
            "it is.",
        ),
    )


SOURCE = FileSource(
    entry=ENTRY,
    layout=Layout(
        fields=fields_of(ENTRY),
        separator=";",
        header=True,
    ),
    decode=_decode,
    remark=_remark,
)
