"""A control that is declared once is found in all six places."""

import argparse
from collections.abc import Mapping
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.controls import options
from dpcore.controls.control import Control, Number, OneOf, Page, address, check
from dpcore.errors import InvalidInput
from dpcore.questions.lines import changed

DEPTH = Control(
    "depth",
    "Depth of the tree",
    Number(1, 9, whole=True),
    default=3,
    noun="a depth of",
    field="tree.depth",
    option="depth",
    help="**Depth**: how many questions a tree asks. More cost more noise.",
)
SPLIT = Control(
    "split_by",
    "Split by",
    OneOf({"gini": "Impurity", "chance": "Chance"}, row=True, means={"chance": "random"}),
    default="gini",
    noun="a split by",
    field="tree.split",
    option="split",
    help="How questions are chosen.",
    shown=lambda said: said.get("depth", 0) > 1,
)
PAGE = Page(DEPTH, SPLIT)
PRESET: Mapping[str, Any] = {"depth": 5, "split_by": "chance"}

SCRIPT = """
import streamlit as st
from pages.shared.widgets import ControlForm
from tests.controls.test_six_places import PAGE
form = ControlForm(PAGE)
form.draw("depth", "split_by")
st.write(PAGE.fields(form.values, "tree"))
"""


def quoted(value):
    return f"“{value}”"


def test_the_widget_has_its_limits_and_is_drawn_only_where_it_is_shown():
    app = AppTest.from_string(SCRIPT, default_timeout=60).run()
    field = app.number_input(key="depth")
    assert (field.label, field.min, field.max, field.value) == ("Depth of the tree", 1, 9, 3)
    assert field.help == DEPTH.help
    assert app.json[0].value == '{"depth": 3, "split": "gini"}'
    assert len(app.get("button_group")) == 1
    field.set_value(1).run()
    assert not app.get("button_group")
    assert app.json[0].value == '{"depth": 1}'


def test_the_address_and_the_python_hold_what_differs_from_the_first_view():
    assert PAGE.values({"tree.depth": 5, "tree.split": "random"}) == PRESET
    assert address(PAGE, PRESET) == {"depth": "5", "split_by": "Chance"}
    assert address(PAGE, PAGE.first()) == {}
    fields = PAGE.fields(PRESET, "tree")
    assert changed(fields, PAGE.fields(PAGE.first(), "tree")) == ["depth=5", "split='random'"]
    app = AppTest.from_string(SCRIPT, default_timeout=60)
    for name, value in address(PAGE, PRESET).items():
        app.query_params[name] = value
    assert app.run().json[0].value == '{"depth": 5, "split": "random"}'


@pytest.mark.parametrize("value", ["0", "10", "inf", "-1e999", "nan", "deep"])
def test_a_link_is_checked_against_it(value):
    (refused,) = check(PAGE, {"depth": [value]}, quoted)
    assert refused.sentence.startswith(f"a depth of “{value}”, ")
    assert "from 1 to 9" in refused.sentence
    assert check(PAGE, {"depth": ["5"], "split_by": ["Chance"]}, quoted) == []
    (refused,) = check(PAGE, {"split_by": ["Luck"]}, quoted)
    assert refused.sentence.endswith("which this page does not offer; it uses Impurity.")


def test_the_command_line_has_it_with_its_help_and_says_it_again():
    command = argparse.ArgumentParser()
    options.add(command, PAGE)
    told = " ".join(command.format_help().split())
    assert "--depth DEPTH Depth: how many questions a tree asks" in told
    assert "--split SPLIT gini or random: How questions are chosen" in told
    typed = command.parse_args(["--depth", "5", "--split", "random"])
    fields = {PAGE[key].field: value for key, value in options.typed_values(PAGE, typed).items()}
    assert fields == {"tree.depth": 5, "tree.split": "random"}
    assert options.written(PAGE, fields) == ["--depth 5", "--split random"]
    assert options.typed_values(PAGE, command.parse_args([])) == {}


def test_a_choice_that_sets_no_field_is_checked_as_it_is_read():
    kind = OneOf({"straight": "Straight"}, means={"straight": "on"})
    way = Control("way", "Way", kind, option="w")
    assert options.read(way, "on") == "on"
    with pytest.raises(InvalidInput, match="w is 'straight', but it must be one of on"):
        options.read(way, "straight")


def test_no_two_controls_of_a_page_share_a_key():
    with pytest.raises(ValueError, match="same key"):
        Page(DEPTH, DEPTH)
