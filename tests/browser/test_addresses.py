"""Links of their time and of today."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Watched

pytestmark = pytest.mark.slow("drives a browser")


def neighbour(page: Page) -> Locator:
    return page.get_by_role("combobox", name="What counts as one person's data")


def test_links_are_of_their_time_and_of_today_once_a_setting_is_changed(
    address: str, watched: Watched
) -> None:
    page = watched.page
    # What a reader sets stands in a link of today, and loading it anew changes nothing.
    page.goto(f"{address}/plan?question=One+run+in+detail&v=4")
    expect(neighbour(page)).to_have_value("One record blanked out")
    size = page.get_by_role("spinbutton", name="Batch size")
    size.fill("200")
    size.press("Enter")
    expect(page).to_have_url(re.compile(r"/plan\?(?=.*\bbatch=200\b).*\bv=4\b"))
    page.reload()
    expect(size).to_have_value("200")
    expect(neighbour(page)).to_have_value("One record blanked out")
    expect(page.get_by_text("A link without a version")).to_have_count(0)
    # A link of before is restated; so is the way back to it.
    page.goto(f"{address}/plan?neighbour=One+record+more+or+less&target=0.5")
    for again in (False, True):
        if again:
            page.go_back()
        expect(page).to_have_url(
            re.compile(r"/plan\?(?=.*\btarget=0.5\b)(?=.*\bv=4\b).*question=One")
        )
        expect(neighbour(page)).to_have_value("One record blanked out")
        expect(page.get_by_text("A link without a version")).to_be_visible()
    page.goto(f"{address}/explore?loss=Huber+SVM&methods=OPERA&focus=OPERA&expert=true")
    expect(page).to_have_url(re.compile(r"adjacency=One\+record\+replaced.*&v=4$"))
    expect(neighbour(page)).to_have_value("One record replaced")
    # ε moves in a part of the page alone, and is written into a link of today all the same.
    page.goto(f"{address}/")
    slider = page.get_by_role("slider", name="Privacy loss ε")
    slider.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"/\?epsilon=1.5&v=4$"))
