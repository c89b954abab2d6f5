"""Links to the pages: what they name is shown, and what they leave out has its default."""

from __future__ import annotations

import pytest

from dpcore.controls.common import ADJACENCIES
from tests.pages.expert import with_expert_open
from tests.pages.shown import open_page, said

pytestmark = [
    pytest.mark.usefixtures("alone", "jobs_wait"),
    pytest.mark.slow("runs whole pages"),
]

CONTROLS = {"explore": "adjacency", "plan": "neighbour", "train": "person"}
ZERO_OUT, REPLACED, MORE = (ADJACENCIES[k] for k in ("zero-out", "replace-one", "add-remove"))
FIXED = "Batches of fixed size"
ONE_RUN = {"question": "One run"}


def neighbour(app, page):
    if page in ("explore", "train"):
        with_expert_open(app)
    drawn = {field.key for field in app.selectbox}
    # Plan opens with an account, which has a control of its own.
    key = "year_neighbour" if "year_neighbour" in drawn else CONTROLS[page]
    return str(app.selectbox(key=key).value)


LINKS: list[tuple[str, dict[str, str], str]] = [
    *((page, {}, "zero-out") for page in CONTROLS),
    ("explore", {"adjacency": REPLACED}, "replace-one"),
    ("plan", {**ONE_RUN, "neighbour": MORE}, "add-remove"),
    ("plan", {**ONE_RUN, "sampling": FIXED, "neighbour": REPLACED}, "replace-one"),
    ("train", {"person": MORE, "public_size": "1500"}, "add-remove"),
]


@pytest.mark.parametrize(("page", "link", "now"), LINKS)
def test_a_link_means_what_it_says(page, link, now):
    app = open_page(page, **link)
    assert neighbour(app, page) == now
    assert not app.warning
    assert not app.error
    # A bare address stays bare.
    assert bool(app.query_params) == bool(link)


HEART, LEFT_OUT = "Heart disease (Cleveland)", "Leave out records with gaps"


@pytest.mark.parametrize(
    ("link", "now"), [({"data": HEART}, "impute"), ({"data": HEART, "missing": LEFT_OUT}, "drop")]
)
def test_records_with_gaps_are_left_out_where_a_link_says_so(link, now):
    app = with_expert_open(open_page("explore", **link))
    assert app.selectbox(key="missing").value == now
    assert not app.warning
    again = with_expert_open(open_page("explore", **app.query_params))
    assert again.selectbox(key="missing").value == now


@pytest.mark.parametrize(("page", "control"), CONTROLS.items())
def test_a_neighbour_that_there_is_not_is_named(page, control):
    app = open_page(page, **{control: "Nobody"})
    (warning,) = app.warning
    assert "the neighbour “Nobody”" in warning.value
    assert "it uses one record blanked out" in warning.value
    assert neighbour(app, page) == "zero-out"
    assert not app.query_params


def test_under_add_remove_the_field_is_a_public_size_and_so_is_the_code():
    app = open_page("plan", **ONE_RUN, plan_view="Code")
    assert app.number_input(key="records").label == "Records n"
    app.selectbox(key="neighbour").select("add-remove").run()
    assert app.number_input(key="records").label == "Public size"
    assert "of a public size of 10 000" in said(app)
    code = " ".join(block.value for block in app.code)
    assert "--public-size 10000" in code
    assert "--records" not in code
