"""The figure of families and statuses: its bars are the table's, and so is its sentence."""

import pandas as pd
import pytest

from dpcore.figures.atlas import LOOKS, families
from dpcore.systems import register, standing


def table(*rows):
    return pd.DataFrame(rows, columns=["family", "status", "systems"])


MIXED = table(
    ("trees", "proved as printed", 2),
    ("trees", "promises too much", 1),
    ("trees", "described only", 4),
    ("networks", "proved as printed", 0),
    ("networks", "described only", 3),
)


@pytest.mark.parametrize("dark", [False, True])
def test_every_count_is_drawn_and_told_apart_without_colour(dark):
    figure = families(MIXED, dark=dark).figure
    drawn = {
        (name, bar.name): count
        for bar in figure.data
        for name, count in zip(bar.y, bar.x, strict=True)
        if count
    }
    assert drawn == {
        (row.family, row.status): row.systems for row in MIXED.itertuples() if row.systems
    }
    fillings = [bar.marker.pattern.shape for bar in figure.data]
    colours = [bar.marker.color for bar in figure.data]
    assert len(set(fillings)) == len(set(colours)) == len(figure.data) == 3


def test_the_sentence_counts():
    told = families(MIXED).sentence
    assert told.startswith("7 of 10 are described only")
    assert "2 “proved as printed” and 1 “promises too much”" in told
    checked = families(table(("trees", "proved as printed", 4), ("trees", "described only", 0)))
    assert checked.sentence.startswith("All 4 were checked or run here")


def test_every_verdict_of_the_register_has_a_look_of_its_own():
    assert {standing(each).label for each in register().values()} <= set(LOOKS)
    for place in range(3):
        assert len({look[place] for look in LOOKS.values()}) == len(LOOKS)
