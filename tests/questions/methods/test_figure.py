"""The figure of families and statuses: its bars are the systems', and so is its sentence."""

from collections import Counter

import pytest

from dpcore.guarantee import Status
from dpcore.questions.methods.figure import LOOKS, families
from dpcore.systems import register, selected, standing


@pytest.mark.parametrize("dark", [False, True])
def test_every_count_is_drawn_and_told_apart_without_colour(dark):
    every = register().values()
    figure = families(every, dark=dark).figure
    drawn = {
        (name, bar.name): count
        for bar in figure.data
        for name, count in zip(bar.y, bar.x, strict=True)
        if count
    }
    assert drawn == Counter(
        (str(each.family), standing(each).label) for each in register().values()
    )
    fillings = [bar.marker.pattern.shape for bar in figure.data]
    colours = [bar.marker.color for bar in figure.data]
    assert len(set(fillings)) == len(set(colours)) == len(figure.data) == len(LOOKS)


def test_the_sentence_counts():
    every = register().values()
    labels = Counter(standing(each).label for each in every)
    told = families(every).sentence
    assert told.startswith(f"{labels['described only']} of {len(every)} are described only")
    assert f"{labels['proved as printed']} “proved as printed”, " in told
    proved = [each for each in every if standing(each).label == "proved as printed"]
    assert families(proved).sentence.startswith(f"All {len(proved)} were checked or run here")
    assert families(proved[:1]).sentence == "One system: “proved as printed”."
    described = selected(status=Status.DESCRIBED_ONLY)
    assert families(described).sentence.startswith(f"Described only, all {len(described)}:")


def test_every_verdict_of_the_register_has_a_look_of_its_own():
    assert {standing(each).label for each in register().values()} <= set(LOOKS)
    for place in range(3):
        assert len({look[place] for look in LOOKS.values()}) == len(LOOKS)
