"""Atlas in a real browser: a search by keyboard, its address, and what a screen reader hears."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.barriers import expect_no_barrier
from tests.browser.waiting import idle

pytestmark = pytest.mark.slow("drives a browser")

BARS = ".js-plotly-plot .barlayer .trace path"
CURVE = ".js-plotly-plot .scatterlayer .trace path"


def opened(watched, address, link, drawn):
    page = watched.page
    page.goto(f"{address}/atlas{link}")
    expect(page.locator(drawn).first).to_be_attached(timeout=60_000)
    idle(page)
    return page


def test_a_search_by_keyboard_stands_in_the_address(watched, address):
    page = opened(watched, address, "", BARS)
    found = page.locator("[class*=st-key-row_] button").filter(visible=True)
    page.get_by_role("textbox", name="Search").focus()
    page.keyboard.type("pate-gan")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"search=pate-gan"))
    expect(found).to_have_count(1)
    page.get_by_role("button", name=re.compile(r"^PATE-GAN \(2019\)")).press("Enter")
    expect(page.locator("h1")).to_have_text("PATE-GAN")
    expect(page).to_have_url(re.compile(r"system=PATE-GAN"))
    page.get_by_role("button", name="All systems").press("Enter")
    expect(found).to_have_count(1)
    expect(page).not_to_have_url(re.compile("system="))


def test_no_serious_barrier_where_a_model_runs(watched, address):
    expect_no_barrier(opened(watched, address, "?system=naive-bayes", CURVE))
