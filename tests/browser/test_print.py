"""Pages on paper: whole charts, settings as words, and nothing that only a screen can use."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import expect

from tests.browser.test_explore import CHEAP
from tests.browser.waiting import answered, idle, wear

pytestmark = pytest.mark.slow("drives a browser")
AXES = ".js-plotly-plot .xaxislayer-above .xtick"
THEMES: tuple[Literal["dark", "light"], ...] = ("dark", "light")
PAPER = 1054  # pixels: the width of A4 within its margins, shrunk as far as a printer shrinks
CHROME = (
    "[data-testid=stSidebar] a, [data-testid=stHeader], button, "
    "[data-testid=stSliderTickBar], .modebar"
)

CUT = """() => [...document.querySelectorAll('.stMain .stButtonGroup [aria-checked=true] *')]
  .filter((each) => each.scrollWidth > each.clientWidth
    && getComputedStyle(each).overflowX === 'hidden').map((each) => each.innerText)"""


@pytest.fixture
def on_screen_again(watched):
    yield
    watched.page.emulate_media(media="screen")


@pytest.mark.usefixtures("on_screen_again")
@pytest.mark.parametrize("theme", ["dark"], indirect=True)
@pytest.mark.parametrize("path", ["plan", "learn?lesson=2&presenter=true", f"?{CHEAP}"])
def test_a_page_prints_as_a_report(watched, address, path):
    page = watched.page
    page.goto(f"{address}/{path}")
    if path == f"?{CHEAP}":
        answered(page)
    else:
        expect(page.locator(AXES).first).to_be_attached()
        idle(page)
    for theme in THEMES:
        wear(page, theme)
        expect_a_report(page, path)
        page.emulate_media(media="screen")


def expect_a_report(page, path):
    proved = page.get_by_text("ε = 1, proved: δ = 10⁻⁵ · zero-out · analytic Gaussian")
    if path == f"?{CHEAP}":
        expect(proved).to_be_attached()
        expect(proved).to_be_hidden()
    page.emulate_media(media="print")
    # As on screen, or zoomed: no script runs between the reader's order to print and the picture.
    widths = page.locator(".js-plotly-plot .main-svg, .picture").evaluate_all(
        "all => all.map(each => each.getBoundingClientRect().width)"
    )
    assert 0 < max(widths) <= PAPER
    shown = page.locator(CHROME).evaluate_all(
        "all => all.filter(each => each.checkVisibility() && !each.matches('[role=radio]'))"
        ".map(each => each.outerHTML.slice(0, 200))"
    )
    assert shown == []
    answer, settings = (page.get_by_test_id(name) for name in ("stMain", "stSidebar"))
    above, below = answer.bounding_box(), settings.bounding_box()
    assert above is not None
    assert below is not None
    assert below["y"] >= above["y"] + above["height"] - 1
    if path != "plan":  # its controls stand with the answer
        assert settings.locator("label").count() > 1
    for chart in page.locator(".stPlotlyChart").all():
        assert chart.evaluate("each => getComputedStyle(each).breakInside") == "avoid"
    if path == f"?{CHEAP}":
        expect(page.locator(".picture .chart .line[d*='L']").first).to_be_visible()
        # What is proved is said in words on paper.
        expect(proved).to_be_visible()
    assert page.evaluate(CUT) == []
    assert page.locator("h1").evaluate("each => getComputedStyle(each).color") == "rgb(14, 20, 27)"
    assert page.pdf(format="A4", prefer_css_page_size=True).startswith(b"%PDF")
