"""A column says what its values may be, or is none."""

from typing import Any

import pytest

from dpcore.datasets.schema import Column

GAIN: dict[str, Any] = {"lower": 0.0, "upper": 1.0, "bounds_reason": "because"}


@pytest.mark.parametrize(
    ("kind", "said", "words"),
    [
        ("number", {}, "needs bounds"),
        ("number", GAIN | {"bounds_reason": ""}, "reason"),
        ("number", GAIN | {"upper": 0.0}, "interval"),
        ("number", GAIN | {"upper": float("inf")}, "interval"),
        ("number", GAIN | {"upper": float("nan")}, "interval"),
        ("number", GAIN | {"lower": -1.0, "transform": "log1p"}, "log1p"),
        ("indicator", {"missing_marks": ("?",)}, "category"),
        ("category", {}, "levels"),
    ],
)
def test_what_is_no_column_is_refused(kind, said, words):
    with pytest.raises(ValueError, match=words):
        Column("gain", kind, "gain", **said)
