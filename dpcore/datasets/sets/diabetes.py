"""Diabetes (Efron et al. 2004): disease progression within a year. Comes with scikit-learn.

There is no codebook: bounds are round figures common in adult medicine, the outcome's assumed.
"""

from __future__ import annotations

from dpcore.datasets import bundled
from dpcore.datasets.bundled import FloatArray
from dpcore.datasets.schema import Column, Entry, number

ENTRY = Entry(
    key="diabetes",
    title="Diabetes progression",
    records_are="patients",
    source="Efron, Hastie, Johnstone and Tibshirani 2004, as it comes with scikit-learn (unscaled)",
    licence="No licence is stated; published with the paper and free to use in scikit-learn",
    citation="Efron, B., Hastie, T., Johnstone, I., Tibshirani, R. (2004). Least Angle Regression. "
    "Annals of Statistics 32(2), 407-499. doi:10.1214/009053604000000067",
    task="Predict how far diabetes has gone on a year later, from ten measurements at the start.",
    label=number(
        "progression",
        "disease progression one year after baseline",
        (0.0, 350.0),
        "No codebook says on which scale it is measured; 0 is taken as no "
        "progression, and 350 is a round figure above the largest value in print (346). That was "
        "read off these published records, so it must not be done with private ones.",
        bounds_from="assumed",
    ),
    records=442,
    columns=(
        number("age", "age", (18.0, 90.0), "Adults, up to an age that few reach.", "years"),
        Column("sex", "indicator", "sex, the second of the two codes in the file (1 and 2)"),
        number(
            "bmi",
            "body mass index",
            (15.0, 50.0),
            "From severe thinness to severe obesity.",
            "kg/m²",
        ),
        number(
            "bp",
            "average blood pressure",
            (50.0, 150.0),
            "Mean arterial pressure: 70 to 100 is usual, and outside 50 to 150 is an emergency.",
            "mmHg",
        ),
        number(
            "s1",
            "total serum cholesterol (tc)",
            (80.0, 400.0),
            "100 to 200 is desirable; 400 is reached in inherited disorders only.",
            "mg/dl",
        ),
        number(
            "s2",
            "low-density lipoproteins (ldl)",
            (20.0, 300.0),
            "Below 100 is optimal, 190 is very high; 300 is reached in inherited disorders only.",
            "mg/dl",
        ),
        number(
            "s3",
            "high-density lipoproteins (hdl)",
            (10.0, 120.0),
            "40 to 60 is usual; below 10 or above 120 is very rare.",
            "mg/dl",
        ),
        number(
            "s4",
            "total cholesterol over HDL (tch)",
            (1.0, 12.0),
            "A total is at least its part, hence 1; above 5 is a risk, 12 is very rare.",
        ),
        number(
            "s5",
            "logarithm of serum triglycerides (ltg)",
            (3.0, 7.0),
            "The logarithm of 20 to 1 100 mg/dl; above 1 000 is an emergency.",
            "ln(mg/dl)",
        ),
        number(
            "s6",
            "blood sugar (glu)",
            (40.0, 200.0),
            "Fasting: below 40 is an emergency, 126 defines diabetes, above 200 is uncontrolled.",
            "mg/dl",
        ),
    ),
    traps=(
        "scikit-learn hands it out centred and scaled by the data's own moments unless told "
        "otherwise, which leaks. Here are the raw values.",
        "No codebook says what the outcome's unit is, nor whether it is on one scale for everyone.",
        "s1, s2, s3 and s4 are nearly functions of each other.",
    ),
)


def _read() -> tuple[FloatArray, FloatArray]:
    values = bundled.read("diabetes_data_raw.csv.gz", delimiter=None)
    values[:, 1] -= 1.0  # the sex is 1 or 2 there
    return values, bundled.read("diabetes_target.csv.gz")


SOURCE = bundled.source(ENTRY, _read)
