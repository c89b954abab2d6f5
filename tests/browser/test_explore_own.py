"""A table of one's own on Explore in a real browser: handed over, described, explored, linked."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from tests.browser.barriers import expect_no_barrier
from tests.browser.conftest import Watched
from tests.browser.test_explore import settled
from tests.browser.waiting import (
    eventually,
    expect_alternative_texts,
    expect_whole,
    hand_over,
)
from tests.pages.test_explore_own import COLUMNS, file

pytestmark = pytest.mark.browser

LINK = "?data=Your+own+table&number_methods=OPERA&view=Best+method"


def test_a_number_is_predicted_from_a_file_and_the_link_holds_all_but_the_file(
    watched: Watched, address: str
) -> None:
    page = watched.page
    page.goto(f"{address}/{LINK}")
    expect(page.get_by_text("never from these records").first).to_be_visible()
    hand_over(page, "mine.csv", file())
    page.get_by_role("button", name="Begin with the names in the file").click()
    described = page.get_by_role("textbox", name="Its columns in words")
    expect(described).to_have_value(re.compile("patient: \nage: \n"))
    expect(page.get_by_text("0 lines that begin with “predict”")).to_be_visible()
    described.fill(COLUMNS)
    described.press("Control+Enter")
    expect(page.locator("h1")).to_have_text("Your own table · 300 records · Linear regression")
    expect(page.get_by_role("heading", name="RMSE against ε")).to_be_visible()
    expect(page.get_by_text("from 0 to 200 points")).to_be_visible()
    expect(page.get_by_text("not private").first).to_be_visible()
    expect(page.get_by_text("Best by mean RMSE among the proved methods chosen")).to_be_visible()
    settled(page)
    expect_alternative_texts(page, 2)
    expect_whole(page, 1280)
    expect_no_barrier(page)
    eventually(page, lambda: parse_qs(urlparse(page.url).query).get("own_columns") == [COLUMNS])

    page.reload()
    expect(page.locator("h1")).to_contain_text("Your own table")
    expect(described).to_have_value(COLUMNS)
    expect(page.get_by_text("never from these records").first).to_be_visible()
    expect(page.get_by_test_id("stMetricValue")).to_have_count(0)
