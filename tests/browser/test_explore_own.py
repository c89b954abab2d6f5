"""A table of one's own on Explore in a real browser: handed over, described, explored, linked."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page, expect

from tests.browser.barriers import expect_no_barrier
from tests.browser.conftest import Watched
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

pytestmark = pytest.mark.browser

LINK = "?v=4&data=Your+own+table&number_methods=OPERA&focus=OPERA"
CONFIRM = "Confirm and use these columns"


def linked(page: Page) -> list[str] | None:
    return parse_qs(urlparse(page.url).query).get("own_columns")


def test_the_form_is_changed_and_confirmed_and_fits_a_telephone(
    watched: Watched, address: str
) -> None:
    page = watched.page
    page.goto(f"{address}/?v=4&data=Your+own+table&methods=OPERA&focus=OPERA")
    hand_over(page, "clinic.csv", clinic(400))
    expect(page.get_by_role("button", name=CONFIRM)).to_be_visible()
    idle(page)
    # From the first row's name to the highest body mass index.
    page.get_by_test_id("stDataFrame").click(position={"x": 30, "y": 52})
    chosen = page.locator("[role=gridcell][aria-selected=true]")
    for key in [*["ArrowRight"] * 4, *["ArrowDown"] * 4]:
        before = chosen.get_attribute("id")
        assert before is not None
        page.keyboard.press(key)
        expect(chosen).not_to_have_id(before)  # a key is lost on a table that is drawn anew
    page.keyboard.press("Enter")
    cell = page.locator("#portal textarea")
    cell.fill("0,2")
    cell.press("Enter")
    # At once: the table has not yet handed the change over.
    page.get_by_role("button", name=CONFIRM).click()
    expect(page.get_by_text("bmi has the range 10 to 0.2")).to_be_visible()
    page.get_by_role("button", name="Write 0.2 to 10").click()
    eventually(page, lambda: linked(page) == [SUGGESTED.replace("10 to 70", "0.2 to 10")])
    settled(page)

    page.get_by_role("button", name="Change the columns").click()
    expect(page.get_by_role("button", name="Change nothing")).to_be_visible()
    resize(page, 390)
    expect_whole(page, 390)
    photograph(page, "own_form")
    resize(page, 1280)
    page.get_by_role("button", name="Change nothing").click()
    settled(page)


def test_a_telephone_is_told_how_to_open_the_controls_with_the_file(
    watched: Watched, address: str
) -> None:
    page = watched.page
    resize(page, 390)
    page.goto(f"{address}/{LINK}")
    expect(page.get_by_text("» opens them").first).to_be_visible()
    drop = page.get_by_test_id("stFileUploader")
    expect(drop).not_to_be_in_viewport()
    idle(page)
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(drop).to_be_in_viewport()


def test_a_refused_file_keeps_the_form_and_is_mended_by_a_button(
    watched: Watched, address: str
) -> None:
    page = watched.page
    page.goto(f"{address}/?v=4&data=Your+own+table&methods=OPERA&focus=OPERA")
    hand_over(page, "clinic.csv", clinic(400))
    expect(page.get_by_role("button", name=CONFIRM)).to_be_visible()
    idle(page)
    described = page.get_by_role("textbox", name="Its columns in words")
    described.fill(SUGGESTED.replace("kg/m²; unknown: blank", "kg/m²"))
    described.press("Control+Enter")
    expect(page.get_by_text("'clinic.csv', lines 2, 14, 26")).to_be_visible()
    expect(page.get_by_role("button", name=CONFIRM)).to_be_visible()
    page.get_by_role("button", name="Read an empty field in bmi as unknown").click()
    expect(page.get_by_test_id("stMetricLabel").first).to_contain_text("Accuracy")
    expect(described).to_have_value(SUGGESTED)
    settled(page)


def test_a_number_is_predicted_from_a_file_and_the_link_holds_all_but_the_file(
    watched: Watched, address: str
) -> None:
    page = watched.page
    page.goto(f"{address}/{LINK}")
    expect(page.get_by_text("never from these records").first).to_be_visible()
    hand_over(page, "mine.csv", file())
    expect(page.get_by_role("button", name=CONFIRM)).to_be_visible()
    described = page.get_by_role("textbox", name="Its columns in words")
    described.fill(COLUMNS)
    described.press("Control+Enter")
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
    expect(described).to_have_value(COLUMNS)
    expect(page.get_by_text("now choose your file", exact=False).first).to_be_visible()
    expect(page.get_by_test_id("stMetricValue")).to_have_count(0)


def test_too_large_a_file_is_refused_in_words_that_are_seen(watched: Watched, address: str) -> None:
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
