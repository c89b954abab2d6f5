"""Breast Cancer Wisconsin (Diagnostic): is a breast mass malignant? Comes with scikit-learn.

There is no codebook, so the bounds are assumed, for the reasons in `_BASES` and `_column`; they are
not the data's minimum and maximum.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import bundled
from dpcore.datasets.bundled import FloatArray
from dpcore.datasets.schema import Action, Column, Entry, Label, number

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


def _column(measure: str, statistic: str) -> Column:
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


ENTRY = Entry(
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
        _column(measure, statistic)
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


def _read() -> tuple[FloatArray, NDArray[np.int8]]:
    values = bundled.read("breast_cancer.csv", skiprows=1)
    # Its 30 features stand in the order of `ENTRY.columns`; its last column is 0 for malignant.
    return values[:, :-1], np.where(values[:, -1] == 0, 1, -1).astype(np.int8)


SOURCE = bundled.source(ENTRY, _read)
