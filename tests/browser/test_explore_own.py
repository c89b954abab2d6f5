"""A table of one's own on Explore in a real browser: handed over, described, explored, linked."""

import re
from dataclasses import replace
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from dpcore.datasets.own.notation import read
from tests.browser.barriers import expect_no_barrier
from tests.browser.test_explore import settled
from tests.browser.waiting import (
    eventually,
    expect_alternative_texts,
    expect_whole,
    hand_over,
    idle,
    photograph,
    resize,
)
from tests.pages.test_explore_own import COLUMNS, SUGGESTED, clinic, file

pytestmark = pytest.mark.slow("drives a browser")

LINK = "?data=Your+own+table&number_methods=OPERA&focus=OPERA"
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
    settled(page)

    page.get_by_role("button", name="Change the columns").click()
    expect(page.get_by_role("button", name="Change nothing")).to_be_visible()
    expect_no_barrier(page)
    resize(page, 390)
    expect_whole(page, 390)
    photograph(page, "own_form")
    resize(page, 1280)
    page.get_by_role("button", name="Change nothing").click()
    settled(page)


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
    settled(page)


def test_a_telephone_is_told_how_to_open_the_controls_with_the_file(watched, address):
    page = watched.page
    resize(page, 390)
    page.goto(f"{address}/{LINK}")
    expect(page.get_by_text("» opens them").first).to_be_visible()
    drop = page.get_by_test_id("stFileUploader")
    expect(drop).not_to_be_in_viewport()
    idle(page)
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(drop).to_be_in_viewport()


def test_a_refused_file_keeps_the_form_and_is_mended_by_a_button(watched, address):
    page = watched.page
    page.goto(f"{address}/?data=Your+own+table&methods=OPERA&focus=OPERA")
    hand_over(page, "clinic.csv", clinic(400))
    expect(page.get_by_role("button", name=CONFIRM)).to_be_visible()
    idle(page)
    text = page.get_by_role("textbox", name="Its columns")
    text.fill(SUGGESTED.replace("kg/m²; unknown: blank", "kg/m²"))
    text.press("Control+Enter")
    expect(page.get_by_text("'clinic.csv', lines 2, 14, 26")).to_be_visible()
    expect(page.get_by_role("button", name=CONFIRM)).to_be_visible()
    page.get_by_role("button", name="Read an empty field in bmi as unknown").click()
    expect(page.get_by_test_id("stMetricLabel").first).to_contain_text("Accuracy")
    eventually(page, lambda: described(page) == changed())
    settled(page)


def test_a_number_is_predicted_from_a_file_and_the_link_holds_all_but_the_file(watched, address):
    page = watched.page
    page.goto(f"{address}/{LINK}")
    expect(page.get_by_text("never from these records").first).to_be_visible()
    hand_over(page, "mine.csv", file())
    expect(page.get_by_role("button", name=CONFIRM)).to_be_visible()
    text = page.get_by_role("textbox", name="Its columns")
    text.fill(COLUMNS)
    text.press("Control+Enter")
    expect(page.get_by_text("Your own table · 2,600 records · judged on ")).to_be_visible()
    expect(page.get_by_test_id("stMetricLabel").first).to_contain_text("RMSE")
    expect(page.get_by_text("from 0 to 200 points")).to_be_visible()
    expect(page.get_by_text("not private").first).to_be_visible()
    settled(page)
    expect_alternative_texts(page, 2)
    expect_whole(page, 1280)
    expect_no_barrier(page)
    eventually(page, lambda: linked(page) == [COLUMNS])

    page.reload()
    expect(page.get_by_test_id("stMain").get_by_text("Your own table")).to_be_visible()
    expect(text).to_have_value(COLUMNS)
    expect(page.get_by_text("now choose your file", exact=False).first).to_be_visible()
    expect(page.get_by_test_id("stMetricValue")).to_have_count(0)


def test_too_large_a_file_is_refused_in_words_that_are_seen(watched, address):
    page = watched.page
    page.goto(f"{address}/{LINK}")
    idle(page)
    hand_over(page, "large.csv", b"a,b\n" + b"1,2\n" * 2_700_000)
    refusal = page.get_by_test_id("stFileChip").get_by_role("alert")
    expect(refusal).to_have_text(re.compile(r"File must be 10.0\s?MB or smaller"))
    box = refusal.bounding_box()
    assert box is not None
    assert box["width"] > 100.0
    assert box["height"] > 10.0
    expect_whole(page, 1280)
