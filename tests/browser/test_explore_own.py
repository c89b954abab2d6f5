"""A table of one's own on Explore in a real browser: handed over and described."""

import re
from dataclasses import replace
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from dpcore.datasets.own.notation import read
from tests.browser.barriers import expect_no_barrier
from tests.browser.waiting import (
    answered,
    eventually,
    expect_whole,
    hand_over,
    idle,
    photograph,
    resize,
)
from tests.pages.test_explore_own import SUGGESTED, clinic

pytestmark = pytest.mark.slow("drives a browser")

CONFIRM = "Confirm and use these columns"


def linked(page):
    return parse_qs(urlparse(page.url).query).get("own_columns")


def described(page):
    """The description in the address."""
    texts = linked(page)
    return read(texts[0]) if texts else None


def changed(**ranges):
    """The usual description with other ranges."""
    usual = read(SUGGESTED)
    for field in usual.fields:
        if field.name in ranges:
            lower, upper = ranges[field.name]
            usual = usual.with_field(field, replace(field, lower=lower, upper=upper))
    return usual


@pytest.mark.flaky(reruns=1, reason="Streamlit's browser part ended the page once, not again")
def test_the_form_is_changed_and_confirmed_and_fits_a_telephone(watched, address):
    page = watched.page
    page.goto(f"{address}/?data=Your+own+table&methods=OPERA&focus=OPERA")
    hand_over(page, "clinic.csv", clinic(400))
    expect(page.get_by_role("button", name=CONFIRM)).to_be_visible()
    idle(page)
    page.get_by_role("textbox", name="Highest of bmi").fill("0,2")
    # At once: the field has not been left yet.
    page.get_by_role("button", name=CONFIRM).click()
    expect(page.get_by_text("bmi has the range 10 to 0.2").first).to_be_visible()
    page.get_by_role("button", name="Write 0.2 to 10").click()
    eventually(page, lambda: described(page) == changed(bmi=(0.2, 10.0)))
    answered(page)

    page.get_by_role("button", name="Change the columns").click()
    expect(page.get_by_role("button", name="Change nothing")).to_be_visible()
    expect_no_barrier(page)
    resize(page, 390)
    expect_whole(page, 390)
    photograph(page, "own_form")
    resize(page, 1280)
    page.get_by_role("button", name="Change nothing").click()
    answered(page)


@pytest.mark.flaky(reruns=1, reason="a busy browser drops what is typed while it draws the form")
def test_what_is_typed_at_speed_stands_in_its_own_row(watched, address):
    page = watched.page
    page.goto(f"{address}/?data=Your+own+table&methods=OPERA&focus=OPERA")
    hand_over(page, "clinic.csv", clinic(400))
    expect(page.get_by_role("button", name=CONFIRM)).to_be_visible()
    idle(page)
    ranges = {"age": (1.0, 101.0), "bmi": (2.0, 102.0), "systolic": (3.0, 103.0)}
    for name, bounds in ranges.items():
        for which, bound in zip(("Lowest", "Highest"), bounds, strict=True):
            page.get_by_role("textbox", name=f"{which} of {name}").fill(f"{bound:g}")
    # What was typed into an unused column and deleted again does not count.
    rows = page.get_by_role("textbox", name="Most rows of patient")
    rows.fill("3")
    page.get_by_role("textbox", name="Unit of age").fill("years")
    expect(page.get_by_role("checkbox", name="patient")).to_be_checked()
    rows.fill("")
    page.get_by_role("button", name=CONFIRM).click()
    eventually(page, lambda: described(page) == changed(**ranges))
    answered(page)


def test_too_large_a_file_is_refused_in_words_that_are_seen(watched, address):
    page = watched.page
    page.goto(f"{address}/?data=Your+own+table&number_methods=OPERA&focus=OPERA")
    idle(page)
    hand_over(page, "large.csv", b"a,b\n" + b"1,2\n" * 2_700_000)
    refusal = page.get_by_test_id("stFileChip").get_by_role("alert")
    expect(refusal).to_have_text(re.compile(r"File must be 10.0\s?MB or smaller"))
    box = refusal.bounding_box()
    assert box is not None
    assert box["width"] > 100.0
    assert box["height"] > 10.0
    expect_whole(page, 1280)
