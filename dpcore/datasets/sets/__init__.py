"""The tables of the catalogue, by kind: each with its entry, and how its files are read."""

from dpcore.datasets.sets.bundled import BREAST_CANCER, DIABETES, OPTICAL_DIGITS
from dpcore.datasets.sets.clinics import CARDIO, DIABETES_SCREENING, SUPPORT2, THYROID
from dpcore.datasets.sets.cohort import COHORT
from dpcore.datasets.sets.heart import HEART, HEART_SITES
from dpcore.datasets.sets.people import ADULT, BANK, IPUMS_BR
from dpcore.datasets.sources import BuiltIn, FileSource

SOURCES: tuple[BuiltIn | FileSource, ...] = (
    *(BREAST_CANCER, COHORT, DIABETES, OPTICAL_DIGITS),
    *(ADULT, BANK, HEART, HEART_SITES, SUPPORT2, DIABETES_SCREENING, THYROID, CARDIO, IPUMS_BR),
)
"""In the order of the screen: those that need no file first."""
