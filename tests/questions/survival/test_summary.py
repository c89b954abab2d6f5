"""What is said and drawn of curves of survival follows from their rows."""

import numpy as np
import pytest

from dpcore.questions.question import ask
from dpcore.questions.survival import figure
from dpcore.questions.survival.question import SurvivalQuestion
from dpcore.questions.survival.summary import SurvivalSummary
from dpcore.summaries.study import TableStudy
from dpcore.words import plain

STUDY = TableStudy(records=900, epsilons=(0.1, 1.0, 10.0), delta=1e-6)


@pytest.fixture(scope="module", params=["sex", ""])
def summary(request):
    question = SurvivalQuestion(STUDY, by=request.param)
    return SurvivalSummary(question, ask(question))


def test_curves_are_drawn_from_one_with_bands_for_each_group(summary):
    shown = figure.picture(summary)
    names = {"sex": ["sex: female", "sex: male"], "": ["all"]}[summary.question.by]
    for place, panel in enumerate(shown.curves.stops):
        assert [line.name for line in panel.lines] == names
        for line, group in zip(panel.lines, summary.groups, strict=True):
            curve = summary.curve(place, group)
            assert line.values == (1.0, *curve["value"])
            assert (line.low[-1], line.high[-1]) == tuple(curve[["low", "high"]].iloc[-1])
    assert shown.curves.places == (0.0, *(5.0 * step for step in range(1, 13)))
    assert shown.stops == STUDY.epsilons
    assert "After 60 months" in shown.alt


def test_the_three_numbers_are_those_of_the_rows(summary):
    error, end, guesses = figure.picture(summary).readings
    rows = summary.rows[(summary.rows["epsilon"] == 1.0)]
    medians = [
        rows.loc[
            (rows["group"] == group)
            & (rows["statistic"] == "event-free")
            & ~rows["level"].str.contains("less"),
            "error",
        ].median()
        for group in summary.groups
    ]
    assert plain(100.0 * np.mean(medians), 2) in error.values[1]
    value = summary.curve(1, summary.groups[-1])["value"].iloc[-1]
    if summary.question.by:
        value -= summary.curve(1, summary.groups[0])["value"].iloc[-1]
        assert end.label == "male less female at 60 months"
    assert plain(100.0 * value) == end.values[1].removesuffix(" points").removesuffix(" %")
    assert guesses.values[1].endswith(" of 100")


def test_the_table_has_some_times_of_each_curve_and_every_other_number(summary):
    lines = [line for line in figure.lines(summary, 1) if line.cells]
    headings = [line.heading for line in lines[1:]]
    assert headings[:6] == [f"event-free at {end}" for end in (10, 20, 30, 40, 50, 60)]
    assert headings[6:8] == ["median time within 60", "restricted mean within 60"]
    assert len(headings) == (10 if summary.question.by else 8)
    assert all(len(line.cells) == len(figure.groups(summary)) for line in lines)


def test_what_is_too_noisy_is_counted_with_the_epsilon_that_would_do(summary):
    cells = [cell for line in figure.lines(summary, 0) for cell in line.cells]
    noisy = sum(not cell.readable for cell in cells)
    assert noisy
    assert f"{noisy} numbers" in figure.too_noisy(summary, 0)
    assert summary.free_from in (None, *STUDY.epsilons)
    assert "without the event" in figure.sentence(summary, 1)
