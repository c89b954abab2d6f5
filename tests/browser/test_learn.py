"""Learn in a real browser: guess, see, change; on a wide and on a narrow screen."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.barriers import expect_no_barrier
from tests.browser.waiting import expect_alternative_texts, idle, resize

pytestmark = pytest.mark.slow("drives a browser")
AXES = ".js-plotly-plot .xaxislayer-above .xtick"


def opened(watched, address, link=""):
    page = watched.page
    page.goto(f"{address}/learn{link}")
    expect(page.locator(AXES).first).to_be_attached()
    idle(page)
    return page


def guess(page, key):
    """Move the first slider by a key, and see the guess in the chart."""
    page.get_by_test_id("stMain").get_by_role("slider").first.focus()
    page.keyboard.press(key)
    expect(page.locator(".js-plotly-plot .scatterlayer .trace path").first).to_be_attached()
    idle(page)


def test_a_guess_is_drawn_and_then_compared(watched, address):
    page = opened(watched, address)
    names = page.locator(".legendtext")
    guess(page, "Home")
    page.get_by_role("button", name="Show me").click()
    expect(names).to_have_text(["right guesses", "your guess"])
    expect(page.get_by_text(re.compile("Your guess is off by"))).to_be_visible()
    assert "guess" not in page.url
    door = page.locator(".st-key-doors").get_by_role("link", name="Train")
    page.keyboard.press("Tab")
    door.focus()
    expect(door).to_have_css("outline", "rgb(0, 95, 150) solid 3px")
    expect_alternative_texts(page, 1)
    expect_no_barrier(page)


def test_a_chart_is_saved_as_a_picture_beside_its_legend(watched, address):
    resize(watched.page, 390)
    page = opened(watched, address, "?lesson=2")
    guess(page, "End")
    page.get_by_role("button", name="Show me").click()
    legend = page.locator(".js-plotly-plot .legend")
    expect(legend).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    page.locator(".js-plotly-plot").hover()
    bar, words = page.locator(".modebar").bounding_box(), legend.bounding_box()
    assert bar is not None
    assert words is not None
    assert bar["y"] > words["y"] + words["height"]
    for kind, begins in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        page.get_by_role("button", name="Link", exact=True).click()
        page.get_by_role("radio", name=kind).click()
        expect(page.get_by_role("radio", name=kind)).to_be_checked()
        page.keyboard.press("Escape")
        # Until the page has run anew, the chart's button is that of the kind before; then the chart
        # stands beside the one of before for a moment.
        title = "Download plot as a PNG" if kind == "PNG" else "Download plot"
        expect(page.locator(f".modebar-btn[data-title='{title}']")).to_have_count(1)
        expect(page.locator(".js-plotly-plot")).to_have_count(1)
        idle(page)
        page.locator(".js-plotly-plot").hover()
        expect(page.locator(".modebar-btn")).to_have_count(1)
        with page.expect_download() as saved:
            page.locator(".modebar-btn").click()
        assert saved.value.suggested_filename.endswith(f".{kind.lower()}")
        assert saved.value.path().read_bytes().startswith(begins)
