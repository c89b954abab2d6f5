"""The figure of a lesson: what is hidden before the guess, and what its sentence says."""

import pytest

from dpcore.figures import learn
from dpcore.lessons import LESSONS, halving, small_groups, why_noise

FIRST, LAST = LESSONS[0], LESSONS[5]


def guessed(*values):
    return dict(zip(FIRST.points, values, strict=True))


def test_before_the_guess_only_what_is_given_is_drawn():
    table = small_groups.curve(records=1000)
    drawn = learn.curve(LAST, guess={3.0: 1.0}, given=table)
    assert [trace.name for trace in drawn.figure.data] == ["all others", "your guess"]
    assert "comes after" in drawn.sentence


def test_the_sentence_names_the_worst_guess_and_its_side():
    table = why_noise.curve()
    sentence = learn.curve(FIRST, guess=guessed(100.0, 60.0, 55.0), true=table).sentence
    assert "furthest off at σ = 1: 60 is too low, the truth is 69.1" in sentence
    assert "off by 3.1 of 100" in sentence
    good = learn.curve(FIRST, guess=guessed(100.0, 69.0, 55.0), true=table).sentence
    assert good.startswith("Well guessed")


def test_a_change_is_told_where_it_is_largest():
    drawn = learn.curve(FIRST, true=why_noise.curve(), changed=why_noise.curve(known=0))
    assert "After your change it is 54.7 of 100 at σ = 0; before, it was 100." in drawn.sentence
    same = learn.curve(FIRST, true=why_noise.curve(), changed=why_noise.curve())
    assert "Your change moves nothing." in same.sentence


@pytest.mark.slow("computes the curves that are drawn")
def test_a_change_of_the_lesson_moves_what_it_is_compared_with():
    first, larger = small_groups.curve(records=3000), small_groups.curve(records=10_000)
    drawn = learn.curve(LAST, true=first, changed=larger)
    by_name = {trace.name: list(trace.y) for trace in drawn.figure.data}
    others = larger[larger["series"] == small_groups.OTHERS]["value"]
    assert by_name["all others, after your change"] == list(others)
    assert f"at ε = 0.1 (all others: {others.iloc[LAST.grid.index(0.1)]:.1f});" in drawn.sentence
    alone = learn.curve(LAST, true=first, changed=first)
    assert "all others, after your change" not in [trace.name for trace in alone.figure.data]


def test_the_sentence_compares_with_what_is_given():
    table = small_groups.curve()
    assert "(all others: −0.1 to 12.2)" in learn.curve(LAST, true=table).sentence


def test_the_promise_says_where_none_is_made():
    assert learn.promise(FIRST, why_noise.curve()).endswith(" At σ = 0 nothing is promised.")
    assert "nothing is promised" not in learn.promise(LESSONS[1], halving.curve())


def test_halving_epsilon_tells_what_the_noise_does():
    sentence = learn.curve(LESSONS[1], true=halving.curve()).sentence
    assert "(standard deviation): from 0.177 to 11.3." in sentence


@pytest.mark.parametrize("dark", [False, True])
def test_every_point_says_epsilon_with_delta_adjacency_and_accountant(dark):
    drawn = learn.curve(LESSONS[1], true=halving.curve(), dark=dark)
    (trace,) = drawn.figure.data
    for text in trace.hovertext:
        assert all(part in text for part in ("ε = ", "δ = 0", "zero-out", "Laplace mechanism"))
    (nothing, *_) = learn.curve(FIRST, true=why_noise.curve()).figure.data[0].hovertext
    assert "nothing is promised" in nothing


def test_the_table_has_the_guess_beside_the_value():
    table = learn.rows(FIRST, guessed(90.0, 60.0, 55.0), {"first": why_noise.curve()})
    row = table[table[FIRST.across] == 1.0].iloc[0]
    assert row["Your guess"] == 60.0
    assert round(row[FIRST.up], 1) == 69.1
    assert {"ε", "δ", "What counts as one person's data", "Proved by"} <= set(table.columns)
