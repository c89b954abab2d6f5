"""Explore in a real browser: what is moved by key, heard by a screen reader, and taken along."""

from __future__ import annotations

import csv
import re

import pytest
from playwright.sync_api import expect

from dpcore.controls.explore import TABS
from tests.browser.barriers import expect_no_barrier
from tests.browser.waiting import (
    answered,
    expect_whole,
    idle,
    look_closer,
    photograph,
    resize,
    wait_until,
)

pytestmark = pytest.mark.slow("drives a browser")

BREAST = "data=Breast+cancer+(Wisconsin)"
# In closed form: what this test or the next has to wait for is not trained.
CHEAP = "methods=OPERA&focus=OPERA"
REST = 300
# When the browser asks the server for a run: nothing else runs the script.
NOTE_RUNS = """() => {
  window.asked = [];
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    window.asked.push(performance.now());
    return send.call(this, data);
  };
}"""
# Closer than a rest by the browser's own timers, however busy the machine; when the last one was.
TEN_KEYS = """chart => new Promise((resolve) => {
  const press = (left) => {
    chart.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' }));
    if (left) setTimeout(press, 100, left - 1);
    else resolve(performance.now());
  };
  press(9);
})"""


def opened(watched, address, link=""):
    watched.page.goto(f"{address}/{link}")
    answered(watched.page)
    return watched.page


def expect_at(page, epsilon):
    """Expect that ε is this in the picture, its field, its sentence and the address."""
    expect(answered(page)).to_have_attribute("aria-valuetext", re.compile(f"^ε = {epsilon}: "))
    expect(page.locator(".sentence:not(.longest)")).to_contain_text(f"At ε = {epsilon}, ")
    expect(page.get_by_role("spinbutton", name="Privacy loss ε")).to_have_value(epsilon)
    expect(page).to_have_url(re.compile(rf"epsilon={re.escape(epsilon)}(&|$)"))


def test_keys_a_typed_number_and_back_move_the_picture_and_all_below(watched, address):
    page = opened(watched, address, f"?{CHEAP}&{BREAST}&epsilon=2")
    expect(page).to_have_title("What does it cost? · Epsilon Explorer")
    expect_at(page, "2")
    answered(page).press("ArrowLeft")
    expect_at(page, "1.5")
    expect(page.get_by_role("heading", name="What ε = 1.5 means for one person")).to_be_visible()
    # A decimal comma is no comma between thousands.
    field = page.get_by_role("spinbutton", name="Privacy loss ε")
    for key in ("Control+a", *"0,5", "Enter"):
        field.press(key)
    expect_at(page, "0.5")
    page.evaluate("history.pushState({}, '', location.href.replace('epsilon=0.5', 'epsilon=7'))")
    page.evaluate("history.pushState({}, '', location.href.replace('epsilon=7', 'epsilon=9'))")
    page.go_back()
    expect_at(page, "7")


def test_the_server_runs_once_where_epsilon_rests_and_not_while_it_moves(watched, address):
    page = opened(watched, address, f"?{CHEAP}&{BREAST}&epsilon=2")
    expect(page.get_by_role("progressbar")).to_have_count(0)
    idle(page)
    page.evaluate(NOTE_RUNS)
    last_key = answered(page).evaluate(TEN_KEYS)
    (after_keys,) = runs_asked_for(page)
    assert after_keys > last_key + 0.9 * REST
    expect_at(page, "0.05")
    ground = page.locator(".chart .ground").bounding_box()
    middle = ground["y"] + ground["height"] / 2
    page.mouse.move(ground["x"] + ground["width"], middle)
    page.mouse.down()
    page.mouse.move(ground["x"], middle, steps=20)
    # Held it does not rest.
    assert runs_asked_for(page) == [after_keys]
    page.mouse.up()
    assert len(runs_asked_for(page)) == 2
    expect_at(page, "0.001")


def runs_asked_for(page):
    """When the browser asked for runs, once it has had the time to ask for one and another."""
    page.wait_for_timeout(3 * REST)
    idle(page)
    times: list[float] = page.evaluate("window.asked")
    return times


def test_the_table_is_downloaded_as_shown(watched, address, tmp_path):
    page = opened(watched, address, f"?{CHEAP}&methods=OutPert&methods=PSGD&view=Take+along")
    # Until all is computed every run makes the file anew, and the old address is soon gone.
    expect(page.get_by_role("progressbar")).to_have_count(0)
    idle(page)
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV").click()
    target = tmp_path / started.value.suggested_filename
    started.value.save_as(target)
    with target.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    shown = [r for r in rows if r["method"] == "opera" and r["epsilon"] == "1.0"]
    accuracy = f"{100 * float(shown[0]['accuracy']):.1f} %"
    assert {"same λ, no noise", "without privacy", "outpert", "opera", "psgd"} <= {
        row["method"] for row in rows
    }
    # The report is made when it is asked for; opened from disk it asks nobody for anything.
    with page.expect_download() as started:
        page.get_by_role("button", name="Report (HTML)").click()
    assert started.value.suggested_filename == "report_cohort.html"
    report = tmp_path / "report.html"
    started.value.save_as(report)
    expect_a_report(page.context.new_page(), report.as_uri(), f"Accuracy {accuracy}")


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
    page = watched.page
    page.goto(f"{address}/?embed=true&embed_options=light_theme&what=ever&runs=100&{CHEAP}")
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
