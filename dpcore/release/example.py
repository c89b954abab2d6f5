"""The demonstration's model, released when it is asked for, and a made-up patient for it."""

from __future__ import annotations

from collections.abc import Mapping

from dpcore.release import demonstration as shown
from dpcore.release.release import Released, release_model
from dpcore.release.table.read import read_for_release

STEPS = 20
"""Few, as somebody waits."""
PATIENT: Mapping[str, float | str] = {
    "age": 74.0,
    "sex": "male",
    "systolic_pressure": 135.0,
    "bmi": 27.0,
    "hba1c": 6.5,
    "egfr": 62.0,
    "medicines": 5.0,
    "admissions_last_year": 1.0,
    "smoker": "no",
    "lives_alone": "yes",
}


def released() -> Released:
    """A new release from the demonstration's records, paid from a ledger that ends with it."""
    ledger = shown.ledger()
    try:
        return release_model(
            read_for_release(shown.columns(), shown.table(), shown.FILE),
            about=shown.ABOUT,
            ledger=ledger,
            data_set=shown.DATA_SET,
            actor=shown.ACTOR,
            epsilon=shown.EPSILON,
            delta=shown.DELTA,
            steps=STEPS,
        )
    finally:
        ledger.close()
