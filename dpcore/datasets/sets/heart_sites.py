"""Heart disease at four sites: one to hold out, three to learn from. UCI id 45, processed files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpcore.datasets.schema import Column, RemoteFile, category
from dpcore.datasets.sets import heart
from dpcore.datasets.sources import FileSource, Remark, columns_of, fields_of
from dpcore.datasets.text import Layout
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd

_UNKNOWN = "?"
_ALWAYS_KNOWN = ("age", "sex", "cp")
_ZERO_IS_UNKNOWN = ("trestbps", "chol")
"""A living patient has neither at 0; Zurich and Basel wrote 0 for a cholesterol nobody measured."""


def _with_gaps(column: Column) -> Column:
    """Cleveland's column where other sites have gaps; an indicator that has some is a category."""
    if column.name in _ALWAYS_KNOWN:
        return column
    if column.kind == "indicator":
        return category(
            column.name,
            column.description,
            "no, yes",
            ", ".join(column.codes),
            missing_marks=(_UNKNOWN,),
        )
    return replace(column, missing_marks=(_UNKNOWN,))


_SITE = category(
    "site",
    "hospital that the patient was examined at",
    "Cleveland, Hungary, Switzerland, Long Beach",
    left_out="it says where a patient was examined, which a model for new sites cannot use",
)

ENTRY = replace(
    heart.ENTRY,
    key="heart_sites",
    title="Heart disease (four sites)",
    source="UCI Machine Learning Repository, data set 45; Cleveland Clinic Foundation; Hungarian "
    "Institute of Cardiology, Budapest; University Hospitals of Zurich and Basel; V.A. Medical "
    "Center, Long Beach, 1981 to 1987",
    records=920,
    columns=(*map(_with_gaps, heart.ENTRY.columns), _SITE),
    site=_SITE.name,
    traps=(
        "Unknown values are written ?. 299 of 920 records are complete, nearly all of Cleveland. "
        "Hungary, Switzerland and Long Beach hardly ever have ca, and often neither thal nor "
        "slope. Leaving out records with gaps leaves Cleveland.",
        "A cholesterol or a blood pressure of 0 means that nobody measured it: Switzerland has no "
        "cholesterol at all. Here 0 counts as unknown.",
        "What is unknown differs by site, and so does disease: 36 % in Hungary and 93 % in "
        "Switzerland. A model can learn the site from the gaps instead of the heart from the "
        "values. Hold a site out to see what carries over.",
        "Accuracy on a site that is held out begins at the share of its larger class. Look at the "
        "balanced accuracy and the AUC.",
        "ST depressions below 0 are elevations; they are clipped to the public bounds.",
        "num has five values; as usual, everything above 0 counts as disease.",
        "Which site a record comes from counts as public, like its place in the table; no ε "
        "covers it.",
    ),
    files=(
        *heart.ENTRY.files,
        *(
            RemoteFile(f"heart/{name}", sha256, url=heart.FOLDER + name)
            for name, sha256 in (
                (
                    "processed.hungarian.data",
                    "d1ad108f785768cd3d7e82dc522e6f5a61eea93cccfb3a46ee8076f73fc3d796",
                ),
                (
                    "processed.switzerland.data",
                    "834a405ccf5b66ab4056bb77794adc8df0b7125186454c0a1d002d33c6c3b314",
                ),
                (
                    "processed.va.data",
                    "e7c93d8d0d2acdadfa4c5e8de768e2191e7f618b952e29623f1f0d5949ff6b8f",
                ),
            )
        ),
    ),
    how_to_get="It is downloaded from the UCI repository when first asked for (40 kB).",
)


def _decode(raw: pd.DataFrame) -> pd.DataFrame:
    frame = columns_of(ENTRY.written, raw)
    for name in _ZERO_IS_UNKNOWN:
        frame[name] = frame[name].mask(frame[name] == 0)
    return frame


def _remark(frame: pd.DataFrame) -> tuple[Remark, ...]:
    unmeasured = int(frame["chol"].isna().sum())
    return (
        Remark(
            "no_cholesterol",
            unmeasured,
            f"{spaced(unmeasured)} patients have no cholesterol (? or 0 in the files).",
        ),
    )


SOURCE = FileSource(
    entry=ENTRY,
    layout=Layout(fields=fields_of(ENTRY)),
    decode=_decode,
    remark=_remark,
)
