"""Tables that come with scikit-learn.

Of breast cancer (is a breast mass malignant?) and of diabetes (how it goes on within a year) there
is no codebook: bounds are assumed, for the reasons stated, and are not the data's minimum and
maximum. Of handwritten digits each number counts inked pixels of a 4 × 4 block, from 0 to 16.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import sources
from dpcore.datasets.schema import Action, Classes, Column, Entry, Label, number
from dpcore.datasets.sources import FloatArray

_SMALLEST, _LARGEST = 5.0, 25.0
"""Mean radius of a nucleus in the units of the images (roughly micrometres)."""
_ABOVE_MEAN = 1.4
"""Ratio of the mean of an image's three largest nuclei to the mean of all."""
_ERROR = 1 / math.sqrt(40)
"""Standard error of an image's mean over the upper bound of that mean: about 40 nuclei an image,
whose standard deviation is assumed to be at most that bound."""


def _rounded(value: float) -> float:
    return round(value, 1 - math.floor(math.log10(value))) if value else 0.0


# measure: description, lower and upper bound of an image's mean, and the reason
_BASES: dict[str, tuple[str, tuple[float, float], str]] = {
    "radius": (
        "distance from the centre of the nucleus to its edge",
        (_SMALLEST, _LARGEST),
        "A nucleus is taken to be 5 to 25 units in radius, from a small normal cell to one grown "
        "several times",
    ),
    "texture": (
        "standard deviation of the grey values",
        (0.0, 40.0),
        "Grey values span 0 to 255, and a standard deviation above 40 would fill the whole scale "
        "(±3 of them)",
    ),
    "perimeter": (
        "length of the edge",
        (2 * math.pi * _SMALLEST, 2 * math.pi * _LARGEST),
        "2π times the bounds of the radius",
    ),
    "area": (
        "area of the nucleus",
        (math.pi * _SMALLEST**2, math.pi * _LARGEST**2),
        "π times the squared bounds of the radius",
    ),
    "smoothness": (
        "local variation of the radius, as a share of it",
        (0.0, 0.2),
        "A share of the radius; an edge that jumps by more than a fifth is no outline any more",
    ),
    "compactness": (
        "perimeter² / area, rescaled so that a disc has 0",
        (0.0, 0.4),
        "A disc has 0; 0.4 is an ellipse about 2.7 times as long as it is wide",
    ),
    "concavity": (
        "depth of the dents in the edge, as a share of the radius",
        (0.0, 0.4),
        "No dents give 0; the deepest are taken to reach 0.4 of the radius on average",
    ),
    "concave points": (
        "share of the edge that is dented",
        (0.0, 0.25),
        "A share; a quarter of the edge dented is taken as the most",
    ),
    "symmetry": (
        "difference between the two sides of the longest axis, as a share",
        (0.0, 0.4),
        "Equal sides give 0; 0.4 is one side nearly half as long again as the other",
    ),
    "fractal dimension": (
        "roughness of the edge (dimension of the outline less 1)",
        (0.0, 0.15),
        "A smooth outline has dimension 1, hence 0; outlines of cells stay below 1.15",
    ),
}


def _measure(measure: str, statistic: str) -> Column:
    description, (lower, upper), reason = _BASES[measure]
    if statistic == "error":
        lower, upper = 0.0, _ERROR * upper
        how = "; the standard error of about 40 nuclei is at most 1/√40 of the mean's upper bound"
        meaning = "standard error over the image's nuclei"
    elif statistic == "worst":
        # An area grows with the square of a length.
        upper *= _ABOVE_MEAN**2 if measure == "area" else _ABOVE_MEAN
        how = (
            "; the mean of the three largest nuclei is taken to be up to 1.4 times the mean of all"
        )
        if measure == "area":
            how += " in radius, hence 1.96 times in area"
        meaning = "mean of the three largest values"
    else:
        how, meaning = "", "mean over the image's nuclei"
    name = f"{measure} error" if statistic == "error" else f"{statistic} {measure}"
    return number(
        name,
        f"{description}: {meaning}",
        (_rounded(lower), _rounded(upper)),
        f"{reason}{how} (rounded to two figures).",
        bounds_from="assumed",
    )


_BREAST_CANCER = Entry(
    key="breast_cancer",
    title="Breast cancer (Wisconsin)",
    records_are="patients",
    source="UCI Machine Learning Repository, data set 17, as it comes with scikit-learn",
    licence="CC BY 4.0",
    citation="Wolberg, W., Mangasarian, O., Street, N., Street, W. (1993). Breast Cancer "
    "Wisconsin (Diagnostic). UCI Machine Learning Repository. doi:10.24432/C5DW2B",
    task="Predict from a needle sample whether a breast mass is malignant.",
    action=Action(
        risk=10,
        why="Nine needless biopsies weigh as much as one missed cancer.",
        cases="cancers",
        acts="biopsy",
        others="healthy women",
    ),
    label=Label("diagnosis", positive="malignant tumour", negative="benign tumour"),
    records=569,
    columns=tuple(
        _measure(measure, statistic)
        for statistic in ("mean", "error", "worst")
        for measure in _BASES
    ),
    traps=(
        "There is no codebook with ranges: the bounds are assumed, from a nucleus of 5 to 25 units "
        "in radius.",
        "scikit-learn codes malignant as 0; here malignant is +1.",
        "The 30 columns are 10 measures three times over and strongly correlated.",
    ),
)


def _read_breast_cancer() -> tuple[FloatArray, NDArray[np.int8]]:
    values = sources.read_bundled("breast_cancer.csv", skiprows=1)
    # Its 30 features stand in the order of the entry; its last column is 0 for malignant.
    return values[:, :-1], np.where(values[:, -1] == 0, 1, -1).astype(np.int8)


BREAST_CANCER = sources.bundled(_BREAST_CANCER, _read_breast_cancer)


_DIABETES = Entry(
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


def _read_diabetes() -> tuple[FloatArray, FloatArray]:
    values = sources.read_bundled("diabetes_data_raw.csv.gz", delimiter=None)
    values[:, 1] -= 1.0  # the sex is 1 or 2 there
    return values, sources.read_bundled("diabetes_target.csv.gz")


DIABETES = sources.bundled(_DIABETES, _read_diabetes)


SIDE = 8

_OPTICAL_DIGITS = Entry(
    key="optical_digits",
    title="Handwritten digits",
    records_are="drawings",
    source="Test set of the optical recognition of handwritten digits data (UCI), as it comes with "
    "scikit-learn",
    licence="CC BY 4.0",
    citation="Alpaydin, E., Kaynak, C. (1998). Optical Recognition of Handwritten Digits. UCI "
    "Machine Learning Repository. doi:10.24432/C50P49",
    task="Tell which of the ten digits was written, from a drawing of 8 × 8 shades.",
    label=Classes("digit", tuple(str(digit) for digit in range(10))),
    records=1_797,
    columns=tuple(
        number(
            f"row {row} column {column}",
            "inked pixels of a block of 4 × 4",
            (0.0, 16.0),
            "A block has 16 pixels.",
            bounds_from="codebook",
        )
        for row in range(SIDE)
        for column in range(SIDE)
    ),
    traps=(
        "A record is one drawing, and 13 people drew many each. What is promised is for a drawing, "
        "not for a person.",
    ),
)


def _read_digits() -> tuple[FloatArray, NDArray[np.int8]]:
    values = sources.read_bundled(sources.DIGITS)
    return values[:, :-1], values[:, -1].astype(np.int8)


OPTICAL_DIGITS = sources.bundled(_OPTICAL_DIGITS, _read_digits)
