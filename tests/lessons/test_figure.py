"""The figure of a lesson: what is hidden before the guess, and what its sentence says."""

import math
import re

from dpcore.lessons import LESSONS, figure, on_counts, on_the_cohort
from dpcore.lessons import randomised_response as response

FIRST, LAST = LESSONS[0], LESSONS[5]


def guessed(*values):
    return dict(zip(FIRST.points, values, strict=True))


def test_before_the_guess_only_what_is_given_is_drawn():
    table = on_the_cohort.small_groups_curve(records=1000)
    drawn = figure.curve(LAST, guess={3.0: 1.0}, given=table)
    assert [trace.name for trace in drawn.figure.data] == ["all others", "your guess"]
    assert "comes after" in drawn.sentence


def test_the_table_has_the_guess_beside_the_value():
    table = figure.rows(FIRST, guessed(90.0, 60.0, 55.0), {"first": on_counts.why_noise_curve()})
    row = table[table[FIRST.across] == 1.0].iloc[0]
    assert row["Your guess"] == 60.0
    assert round(row[FIRST.up], 1) == 69.1
    assert {"ε", "δ", "What counts as one person's data", "Proved by"} <= set(table.columns)


def test_the_sentence_names_the_worst_guess_and_its_side():
    table = on_counts.why_noise_curve()
    sentence = figure.curve(FIRST, guess=guessed(100.0, 60.0, 55.0), true=table).sentence
    assert "furthest at σ = 1: 60, where it is 69.1" in sentence
    assert sentence.startswith(FIRST.why)
    good = figure.curve(FIRST, guess=guessed(100.0, 69.0, 55.0), true=table).sentence
    assert "nowhere more than 2 of 100 away" in good


def test_a_change_is_told_where_it_is_largest():
    drawn = figure.curve(
        FIRST, true=on_counts.why_noise_curve(), changed=on_counts.why_noise_curve(known=0)
    )
    assert "After your change it is 54.7 of 100 at σ = 0; before, it was 100." in drawn.sentence
    same = figure.curve(
        FIRST, true=on_counts.why_noise_curve(), changed=on_counts.why_noise_curve()
    )
    assert "Your change moves nothing." in same.sentence


def test_every_point_says_epsilon_with_delta_adjacency_and_accountant():
    (trace,) = figure.curve(LESSONS[1], true=on_counts.halving_curve()).figure.data
    for text in trace.hovertext:
        assert all(part in text for part in ("ε = ", "δ = 0", "zero-out", "Laplace mechanism"))
    (nothing, *_) = figure.curve(FIRST, true=on_counts.why_noise_curve()).figure.data[0].hovertext
    assert "nothing is promised" in nothing
    assert figure.promise(FIRST, on_counts.why_noise_curve()).endswith(
        " At σ = 0 nothing is promised."
    )
    assert "nothing is promised" not in figure.promise(LESSONS[1], on_counts.halving_curve())


def test_a_class_s_guesses_are_dots_and_their_mean_is_told_after_the_lesson():
    others = [guessed(100.0, 60.0, 60.0), {1.0: 70.0}, {}]
    drawn = figure.curve(FIRST, others=others, true=on_counts.why_noise_curve())
    dots = drawn.figure.data[-1]
    assert (dots.name, dots.mode, len(dots.x)) == ("guesses of the class", "markers", 4)
    assert sorted(dots.y) == [60.0, 60.0, 70.0, 100.0]
    assert len(set(dots.x)) == 4
    assert drawn.sentence.startswith(FIRST.why)
    assert "3 phones have guessed: 60 on average at σ = 4, where it is 55" in drawn.sentence
    before = figure.curve(FIRST, others=[])
    assert before.sentence == "0 phones have guessed."


def test_large_is_large_to_the_last_axis_title():
    for drawn in (
        figure.curve(FIRST, true=on_counts.why_noise_curve(), large=True),
        figure.answers(response.estimate(20, 40, math.log(3)), large=True),
    ):
        layout = drawn.figure.layout
        assert layout.font.size == layout.xaxis.title.font.size == figure.LARGE_WORDS
    assert figure.curve(FIRST).figure.layout.xaxis.title.font.size < figure.LARGE_WORDS


def test_an_estimate_is_told_with_its_interval_and_its_answers():
    estimate = response.estimate(20, 40, math.log(3))
    sentence = figure.answers(estimate).sentence
    assert "About 50 of 100" in sentence
    assert "20 of 40 answers" in sentence
    low, high = (int(word) for word in re.search(r"confidence (\d+) to (\d+)", sentence).groups())
    assert low <= 100 * estimate.low < low + 1
    assert high - 1 < 100 * estimate.high <= high
    assert "say nothing" in figure.answers(response.estimate(1, 1, math.log(3))).sentence


def test_deniability_is_told_in_people_and_as_epsilon():
    told = figure.deniability(math.log(3))
    assert all(part in told for part in ("25 send Yes", "3 times", "ε = ln 3 = 1.1", "δ = 0"))
