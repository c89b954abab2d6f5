"""A picture that moves: what its browser is sent, and what no picture can hold."""

import gzip
import json
import math

import pytest

from dpcore.figures.picture import Curves, Guesses, Line, Panel, People, Picture, Reading, Rule
from tests.browser.picture_page import made

COLOURS = ("#0072B2", "#56B4E9")


def picture(stops=(0.1, 1.0, 10.0), panels=(), log_axis=True, **more):
    texts = tuple(f"{stop:g}" for stop in stops)
    return Picture("ε", stops, texts, "ε", log_axis, panels, texts, texts, "A picture.", **more)


def panel(*values, **more):
    return Panel("Accuracy", (Line("OPERA", values, COLOURS, strong=True),), **more)


def test_stops_and_values_become_places_on_their_axes():
    sent = picture(panels=(panel(0.5, 0.75, 1.0, percent=True, ends=(0.5, 1.0)),)).payload
    assert sent["axis"]["places"] == [0.0, 0.5, 1.0]
    assert sent["axis"]["ticks"] == [[0.0, "0.1"], [0.5, "1"], [1.0, "10"]]
    (shown,) = sent["panels"]
    assert shown["lines"][0]["places"] == [0.0, 0.5, 1.0]
    assert shown["lines"][0]["texts"] == ["50.0 %", "75.0 %", "100.0 %"]
    assert [text for _, text in shown["ticks"]] == ["50 %", "60 %", "70 %", "80 %", "90 %", "100 %"]


def test_curves_have_an_axis_of_their_own_and_other_lines_with_bands_at_each_stop():
    def at(height):
        line = Line("a", (1.0, height), COLOURS, low=(1.0, height - 0.1), high=(1.0, height + 0.1))
        return Panel("", (line,), percent=True, ends=(0.0, 1.0))

    heights = (0.2, 0.5, 0.8)
    curves = Curves("Alive", "months", (0.0, 60.0), tuple(map(at, heights)))
    sent = picture(panels=(panel(1.0, 2.0, 3.0),), curves=curves).payload["curves"]
    assert (sent["title"], sent["axis"]["title"]) == ("Alive", "months")
    assert sent["axis"]["places"] == [0.0, 1.0]
    assert [text for _, text in sent["axis"]["ticks"]] == ["0", "20", "40", "60"]
    assert [lines[0]["places"][1] for lines in sent["stops"]] == list(heights)
    assert sent["stops"][0][0]["low"] == [1.0, 0.1]
    with pytest.raises(ValueError, match="1 entries for 3 stops"):
        picture(curves=Curves("Alive", "months", (0.0, 60.0), (at(0.5),)))


def test_what_is_no_number_is_sent_as_none():
    rules = (Rule("no privacy", 1.0), Rule("unknown", math.nan))
    for log, values in ((False, (0.5, math.nan, math.inf)), (True, (0.5, 0.0, math.nan))):
        sent = picture(panels=(panel(*values, rules=rules, log=log),)).payload
        (shown,) = sent["panels"]
        assert [place is None for place in shown["lines"][0]["places"]] == [False, True, True]
        assert [rule["label"] for rule in shown["rules"]] == ["no privacy"]
        json.dumps(sent, allow_nan=False)


def test_a_panel_without_a_value_is_still_drawn():
    for log in (False, True):
        (shown,) = picture(panels=(panel(math.nan, math.nan, math.nan, log=log),)).payload["panels"]
        assert shown["ticks"]
        assert shown["lines"][0]["places"] == [None, None, None]


@pytest.mark.parametrize(
    ("first", "last", "log", "ticks"),
    [
        (0.001, 100.0, True, ["0.001", "0.01", "0.1", "1", "10", "100"]),
        (1e-9, 1e3, True, ["10⁻⁹", "10⁻⁶", "0.001", "1", "1 000"]),
        (0.5, 3.0, True, ["0.5", "1", "1.5", "2", "2.5", "3"]),
        (0.5, 42.0, True, ["0.5", "1", "2", "5", "10", "20"]),
        (0.3, 3.0, True, ["0.5", "1", "2"]),
        (1.1, 115.0, True, ["2", "5", "10", "20", "50", "100"]),
        (1.0, 30.0, False, ["10", "20", "30"]),
        (0.0, 365.0, False, ["0", "100", "200", "300"]),
    ],
)
def test_an_axis_has_few_round_ticks(first, last, log, ticks):
    sent = picture(stops=(first, last), log_axis=log).payload
    assert [text for _, text in sent["axis"]["ticks"]] == ticks


def test_one_stop_is_in_the_middle():
    assert picture(stops=(1.0,)).payload["axis"]["places"] == [0.5]


def test_dashes_are_written_as_svg_takes_them():
    dashes = ("solid", "dash", "6px,6px")
    lines = tuple(Line(dash, (1.0,), COLOURS, dash) for dash in dashes)
    (shown,) = picture(stops=(1.0,), panels=(Panel("", lines),)).payload["panels"]
    assert [line["dash"] for line in shown["lines"]] == ["", "7 4", "6 6"]


def test_runs_and_guesses_are_sent_as_whole_numbers():
    kinds = ("found", "missed", "false alarm", "left alone")
    people = People("People", kinds, kinds, (((60, 13, 40, 887), (70, 3, 27, 900)), (), ()))
    guesses = Guesses("Guesses", (74, None, 100), ("a", "b", "c"))
    sent = picture(people=people, guesses=guesses).payload
    assert sent["people"]["cases"] == [[60, 13, 40, 70, 3, 27], [], []]
    assert sent["guesses"]["right"] == [74, None, 100]
    json.dumps(sent)


def test_a_picture_has_one_entry_a_stop_and_whole_thousands():
    with pytest.raises(ValueError, match="rise"):
        picture(stops=(1.0, 1.0))
    with pytest.raises(ValueError, match="2 entries for 3 stops"):
        picture(panels=(panel(0.5, 0.6),))
    with pytest.raises(ValueError, match="1 entries for 3 stops"):
        picture(readings=(Reading("Accuracy", ("1", "2", "3"), ("note",)),))
    kinds = ("found", "missed", "false alarm", "left alone")
    with pytest.raises(ValueError, match="1000 people"):
        picture(people=People("People", kinds, kinds, (((1, 2, 3, 4),), (), ())))
    with pytest.raises(ValueError, match="at least 50"):
        picture(guesses=Guesses("Guesses", (None, 49, 60), ("a", "b", "c")))


def test_thirty_one_stops_with_two_hundred_runs_are_sent_in_150_kilobytes():
    written = json.dumps(made(panels=3, hostile=False, sparse=False, runs=200).payload)
    assert len(gzip.compress(written.encode())) <= 150_000
