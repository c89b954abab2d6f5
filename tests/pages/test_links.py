"""Links to the pages: what they name is shown, and what they leave out has its default."""

from __future__ import annotations

import time

import pytest

from dpcore.controls.common import ADJACENCIES
from tests.pages.expert import with_expert_open
from tests.pages.explored import only_methods
from tests.pages.shown import open_page

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]

CONTROLS = {"explore": "adjacency", "plan": "neighbour", "train": "person"}
ZERO_OUT, REPLACED, MORE = (ADJACENCIES[k] for k in ("zero-out", "replace-one", "add-remove"))
FIXED = "Batches of fixed size"
ONE_RUN = {"question": "One run in detail"}


@pytest.fixture(autouse=True)
def one_method(monkeypatch):
    """What is tested is what links mean: Explore computes one curve."""
    only_methods(monkeypatch, "opera")


def opened(page, **link):
    app = open_page(page, **link)
    assert not app.exception
    return app


def neighbour(app, page):
    if page in ("explore", "train"):
        with_expert_open(app)
    drawn = {field.key for field in app.selectbox}
    # Plan opens with an account, which has a control of its own.
    key = "year_neighbour" if "year_neighbour" in drawn else CONTROLS[page]
    return str(app.selectbox(key=key).value)


@pytest.mark.parametrize("page", CONTROLS)
def test_a_bare_address_begins_with_one_record_blanked_and_stays_bare(page):
    app = opened(page)
    assert neighbour(app, page) == "zero-out"
    assert not app.query_params


LINKS: list[tuple[str, dict[str, str], str]] = [
    ("explore", {"loss": "Huber SVM"}, "zero-out"),
    ("explore", {"adjacency": REPLACED}, "replace-one"),
    ("plan", {**ONE_RUN, "target": "0.5"}, "zero-out"),
    ("plan", {**ONE_RUN, "neighbour": MORE}, "add-remove"),
    ("plan", {**ONE_RUN, "sampling": FIXED, "neighbour": REPLACED}, "replace-one"),
    ("train", {"person": MORE, "public_size": "1500"}, "add-remove"),
    ("train", {"units": "8"}, "zero-out"),
]


@pytest.mark.parametrize(("page", "link", "now"), LINKS)
def test_a_link_means_what_it_says(page, link, now):
    app = opened(page, **link)
    assert neighbour(app, page) == now
    assert not app.warning
    assert not app.error


HEART, LEFT_OUT = "Heart disease (Cleveland)", "Leave out records with gaps"


@pytest.mark.parametrize(
    ("link", "now"),
    [
        ({}, "impute"),
        ({"data": HEART}, "impute"),
        ({"data": HEART, "missing": LEFT_OUT}, "drop"),
    ],
)
def test_records_with_gaps_are_left_out_where_a_link_says_so(link, now):
    app = with_expert_open(opened("explore", **link))
    assert app.selectbox(key="missing").value == now
    assert not app.warning
    again = with_expert_open(opened("explore", **app.query_params))
    assert again.selectbox(key="missing").value == now


@pytest.mark.parametrize(("page", "control"), CONTROLS.items())
def test_a_neighbour_that_there_is_not_is_named(page, control):
    app = opened(page, **{control: "Nobody"})
    (warning,) = app.warning
    assert "the neighbour “Nobody”" in warning.value
    assert "it uses one record blanked out" in warning.value
    assert neighbour(app, page) == "zero-out"
    assert not app.query_params


def test_under_add_remove_the_field_is_a_public_size_and_so_is_the_code():
    app = opened("plan", **ONE_RUN, plan_view="Take along")
    assert app.number_input(key="records").label == "Records n"
    app.selectbox(key="neighbour").select("add-remove").run()
    assert app.number_input(key="records").label == "Public size"
    said = " ".join(text.value for text in app.caption)
    assert "of a public size of 10,000" in said
    assert "10,000 records" not in said
    code = " ".join(block.value for block in app.code)
    assert "--public-size 10000" in code
    assert "--records" not in code


def test_train_asks_for_the_public_size_and_tells_nothing_else():
    app = with_expert_open(opened("train", train_view="Take along"))
    assert not [field for field in app.number_input if field.key == "public_size"]
    app.selectbox(key="person").select("add-remove").run()
    (error,) = app.error
    assert "needs a public size" in error.value
    app.number_input(key="public_size").set_value(1_234).run()
    assert not app.error
    deadline = time.monotonic() + 60.0
    while "dpcore train" not in (code := " ".join(block.value for block in app.code)):
        assert time.monotonic() < deadline
        time.sleep(0.1)  # the noise is solved for in the background
        app.run()
    assert "--adjacency add-remove --public-size 1234" in code.replace(" \\\n  ", " ")
    assert "public_size=1234" in code
