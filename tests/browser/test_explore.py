"""Explore in a real browser: what is moved by key, heard by a screen reader, and taken along."""

from __future__ import annotations

import csv
import re

import pytest
from playwright.sync_api import expect

from dpcore.controls.explore import TABS
from dpcore.figures.overview import LEFT, RIGHT
from tests.browser.barriers import expect_no_barrier
from tests.browser.waiting import (
    eventually,
    expect_alternative_texts,
    expect_whole,
    idle,
    look_closer,
    photograph,
    resize,
    still_numbers,
    wait_until,
)

pytestmark = pytest.mark.slow("drives a browser")

DRAWN = ".js-plotly-plot .scatterlayer .trace path"
BREAST = "data=Breast+cancer+(Wisconsin)"
# In closed form: nothing that this test or the next has to wait for is trained in the background.
CHEAP = "methods=OPERA&focus=OPERA"


def settled(page):
    """Wait until the script has run and no fragment is running."""
    page.wait_for_selector(DRAWN, state="attached")
    idle(page)


def opened(watched, address, link=""):
    watched.page.goto(f"{address}/{link}")
    settled(watched.page)
    return watched.page


def accuracy(page):
    return page.get_by_test_id("stMetricValue").first.inner_text()


def expect_change(page, before):
    wait_until(
        page,
        """before => {
          const now = [...document.querySelectorAll('[data-testid=stMetricValue]')]
            .map((element) => element.innerText);
          return now.length === before.length && now.join() !== before.join();
        }""",
        arg=before,
    )


def test_epsilon_by_keyboard_changes_numbers_and_address(watched, address):
    page = opened(watched, address)
    expect(page).to_have_title("What does it cost? · Epsilon Explorer")
    before = still_numbers(page)
    page.get_by_role("slider", name="Privacy loss ε").focus()
    page.keyboard.press("ArrowLeft")
    expect_change(page, before)
    expect(page).to_have_url(re.compile(r"epsilon=0\.7"))
    expect(page.get_by_role("spinbutton", name="Privacy loss ε")).to_have_value("0.7")
    expect(page.get_by_role("heading", name="What ε = 0.7 means for one person")).to_be_visible()


def axis(page):
    """Both ends of the main chart's axis of ε, as powers of ten."""
    ends: list[float] = page.locator(".js-plotly-plot").first.evaluate(
        "figure => figure._fullLayout ? [...figure._fullLayout.xaxis.range] : []"
    )
    return ends


def test_the_main_chart_stays_under_its_slider(watched, address):
    page = opened(watched, address, f"?{CHEAP}&{BREAST}")
    eventually(page, lambda: bool(axis(page)))
    whole = axis(page)
    box = page.locator(".js-plotly-plot").first.bounding_box()
    assert box is not None
    for side, margin in (("left", LEFT), ("right", RIGHT)):
        expect(page.locator(".st-key-epsilon_slider")).to_have_css(f"padding-{side}", f"{margin}px")
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.4 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.8 * box["width"], middle, steps=5)
    page.mouse.up()
    before = still_numbers(page)
    page.get_by_role("slider", name="Privacy loss ε").focus()
    page.keyboard.press("ArrowLeft")
    expect_change(page, before)
    settled(page)
    eventually(page, lambda: axis(page) == whole)
    # A decimal comma is no comma between thousands.
    field = page.get_by_role("spinbutton", name="Privacy loss ε")
    field.press("Control+a")
    page.keyboard.type("0,5")
    expect(field).to_have_value("0.5")
    # A machine that goes dark has the chart drawn in that theme's letters, and all else as it was.
    letters, address_before = page.locator(".js-plotly-plot .annotation-text").first, page.url
    expect(letters).to_have_css("fill", "rgb(86, 97, 109)")
    page.emulate_media(color_scheme="dark")
    expect(letters).to_have_css("fill", "rgb(230, 234, 241)")
    assert page.url == address_before


def test_the_table_is_downloaded_as_shown(watched, address, tmp_path):
    # What the first page shows, and so what may have been computed for other tests.
    page = opened(watched, address, f"?{CHEAP}&methods=OutPert&methods=PSGD&view=Take+along")
    # Until all is computed every run makes the file anew, and the old address is soon gone.
    page.get_by_role("button", name="Report (HTML)").wait_for()
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV").click()
    target = tmp_path / started.value.suggested_filename
    started.value.save_as(target)
    with target.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    shown = [r for r in rows if r["method"] == "opera" and r["epsilon"] == "1.0"]
    best = f"{100 * float(shown[0]['accuracy']):.1f} %"
    eventually(page, lambda: accuracy(page) == best)
    assert {"same λ, no noise", "without privacy", "outpert", "opera", "psgd"} <= {
        row["method"] for row in rows
    }
    # The report is made when it is asked for; opened from disk it asks nobody for anything.
    with page.expect_download() as started:
        page.get_by_role("button", name="Report (HTML)").click()
    assert started.value.suggested_filename == "report_cohort.html"
    report = tmp_path / "report.html"
    started.value.save_as(report)
    expect_a_report(page.context.new_page(), report.as_uri(), f"Accuracy {best}")


def expect_a_report(page, uri, accuracy):
    """A report is whole on screens and on two sheets of paper, and asks nobody for anything."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(uri)
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Synthetic clinical cohort: OPERA at ε = 1")
    expect(page.get_by_role("row", name=accuracy)).to_be_visible()
    expect(page.get_by_role("img")).to_be_visible()
    expect(page.get_by_role("listitem")).to_have_count(52)
    expect_no_barrier(page)
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))) == 2
    resize(page, 390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert asked == [uri]
    page.close()


def test_streamlits_own_settings_stay_in_the_address(watched, address):
    page = opened(watched, address, "?embed=true&embed_options=light_theme&what=ever&runs=100")
    expect(page.get_by_test_id("stAlert")).to_contain_text("the setting “what”")
    for name in ("embed=true", "embed_options=light_theme", "runs=100"):
        expect(page).to_have_url(re.compile(name))
    wait_until(page, "!location.search.includes('what')")


@pytest.mark.parametrize(
    ("theme", "widths"), [("light", (1280, 390)), ("dark", (390, 1280))], indirect=["theme"]
)
def test_every_tab_is_whole_and_heard(watched, address, theme, widths):
    # Every other tab is drawn at the other width, and in the other theme the others are.
    resize(watched.page, widths[0])
    page = opened(watched, address, f"?{CHEAP}&methods=OutPert")
    expect_alternative_texts(page, 2)
    photograph(page, f"explore_{theme}")
    # In the dark half of them: all are coloured in the same way.
    for tab in TABS if theme == "light" else TABS[::2]:
        look_closer(page, tab)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        for width in widths:
            resize(page, width)
            expect_whole(page, width)
            if width == 1280:
                # All but the tab stays as it is.
                expect_no_barrier(page, None if tab == TABS[0] else ".st-key-open_tab")
        widths = (widths[1], widths[0])
