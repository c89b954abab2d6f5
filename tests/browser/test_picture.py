"""A picture that moves, in a browser: keys, pointer and touch, and when the server is told."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from pages.server.requests import POLICY
from tests.browser.barriers import expect_no_barrier
from tests.browser.picture_page import HOSTILE, STOPS, made
from tests.browser.server import ROOT, served
from tests.browser.waiting import expect_whole, idle, photograph, resize, wear

pytestmark = pytest.mark.slow("drives a browser")

# Under the headers of the app, which say from where scripts may come.
APP = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import streamlit as st
from starlette.middleware import Middleware
from pages.server.requests import SecurityHeaders
script = {str(ROOT / "tests/browser/picture_page.py")!r}
app = st.App(script, middleware=[Middleware(SecurityHeaders)])
"""
FIRST = 18
REST = 300
SHOWN = made(1, False, False, 30)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    script = tmp_path_factory.mktemp("pictures") / "app.py"
    script.write_text(APP, encoding="utf-8")
    with served(str(script)) as address:
        yield address


@pytest.fixture
def opened(watched, pictures):
    def go(query=""):
        page = watched.page
        page.goto(f"{pictures}/{query}")
        expect(slider(page).first).to_have_attribute("aria-valuenow", str(FIRST))
        idle(page)
        return page

    return go


def slider(page):
    return page.get_by_role("slider", name="Privacy loss ε")


def at(page, stop, which=0):
    """Expect the cursor at a stop, with what is said there."""
    expect(slider(page).nth(which)).to_have_attribute("aria-valuenow", str(stop))
    expect(page.locator(".sentence:not(.longest)").nth(which)).to_have_text(
        SHOWN.sentences[stop].replace("**", "")
    )


def told(page, runs, stop):
    """Expect that the server has run so often, and knows this stop; and that no run follows."""
    line = page.get_by_text(re.compile(r"^\d+ runs, at stop"))
    expect(line).to_have_text(f"{runs} runs, at stop {stop}")
    page.wait_for_timeout(2 * REST)
    idle(page)
    expect(line).to_have_text(f"{runs} runs, at stop {stop}")


def spot(page, stop, which=0):
    """Where a stop is in the chart, in pixels of the window."""
    box = page.locator(".chart .ground").nth(which).bounding_box()
    return box["x"] + stop / (len(STOPS) - 1) * box["width"], box["y"] + box["height"] / 2


def click(page, name):
    """Click a button while the pointer is busy elsewhere."""
    page.get_by_role("button", name=name).evaluate("button => button.click()")


def test_the_policy_lets_the_module_in_and_no_foreign_script():
    (scripts,) = (part for part in POLICY.split("; ") if part.startswith("script-src"))
    assert "blob:" in scripts.split()
    assert "http" not in scripts


def test_keys_move_all_at_once_and_the_server_is_told_at_rest(opened):
    page = opened()
    told(page, 1, FIRST)
    slider(page).focus()
    stop = FIRST
    keys = (("ArrowRight", 1), ("ArrowUp", 1), ("ArrowLeft", -1), ("PageDown", -5), ("PageUp", 5))
    for key, step in keys:
        stop += step
        # Read in the moment of the key: nothing is drawn later.
        page.evaluate(
            "() => addEventListener('keydown', () => { window.said = document.querySelector("
            "'.stBidiComponent [data-testid]').shadowRoot.querySelector('.value').textContent },"
            " { once: true })"
        )
        page.keyboard.press(key)
        assert page.evaluate("window.said") == SHOWN.readings[0].values[stop]
        expect(slider(page)).to_have_attribute("aria-valuetext", SHOWN.spoken[stop])
    at(page, stop)
    told(page, 2, stop)
    expect(slider(page)).to_be_focused()
    expect(page.locator("[aria-live]:not(:empty)")).to_have_text(
        SHOWN.sentences[stop].replace("**", "")
    )
    for key, end in (("End", len(STOPS) - 1), ("Home", 0)):
        page.keyboard.press(key)
        at(page, end)
    told(page, 3, 0)


def test_back_where_it_was_the_server_is_told_nothing(opened):
    page = opened()
    slider(page).press("ArrowRight")
    slider(page).press("ArrowLeft")
    told(page, 1, FIRST)


def test_a_mouse_drags_the_cursor_and_no_run_pulls_it_back(opened):
    page = opened()
    page.mouse.move(*spot(page, 5))
    page.mouse.down()
    at(page, 5)
    page.mouse.move(*spot(page, 12), steps=7)
    at(page, 12)
    told(page, 1, FIRST)
    # The page runs again, and has its own stop: the hand is still on the cursor.
    click(page, "Go to the first")
    told(page, 2, 0)
    at(page, 12)
    page.mouse.move(*spot(page, 14))
    page.mouse.up()
    told(page, 3, 14)
    at(page, 14)
    # A hand that has let go follows the page again.
    click(page, "Go to the first")
    at(page, 0)
    told(page, 4, 0)


def test_a_press_that_moves_nothing_takes_what_the_page_said_meanwhile(opened):
    page = opened()
    page.mouse.move(*spot(page, FIRST))
    page.mouse.down()
    click(page, "Go to the first")
    told(page, 2, 0)
    at(page, FIRST)
    page.mouse.up()
    at(page, 0)
    told(page, 2, 0)


def test_an_answer_to_an_older_move_does_not_pull_back(opened):
    page = opened("?slow=1")
    slider(page).press("ArrowRight")
    page.wait_for_timeout(REST + 200)
    # The server is at work on that for a second.
    for _ in range(3):
        slider(page).press("ArrowRight")
        page.wait_for_timeout(REST // 2)
    at(page, FIRST + 4)
    seen = page.evaluate(
        """async () => {
          const chart = document.querySelector('.stBidiComponent [data-testid]').shadowRoot
            .querySelector('[role=slider]')
          const seen = new Set()
          for (let look = 0; look < 100; look++) {
            seen.add(chart.getAttribute('aria-valuenow'))
            await new Promise((resolve) => setTimeout(resolve, 30))
          }
          return [...seen]
        }"""
    )
    assert seen == [str(FIRST + 4)]
    told(page, 3, FIRST + 4)


def test_a_finger_taps_and_drags_and_scrolls(browser, pictures):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(f"{pictures}/?panels=3")
    expect(slider(page)).to_have_attribute("aria-valuenow", str(FIRST))
    idle(page)
    expect_whole(page, 390)
    page.touchscreen.tap(*spot(page, 3))
    at(page, 3)
    told(page, 2, 3)
    touch = context.new_cdp_session(page)

    def send(kind, *points):
        touch.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]},
        )

    x, y = spot(page, 3)
    send("touchStart", (x, y))
    for stop in range(4, 21):
        send("touchMove", (spot(page, stop)[0], y))
    at(page, 20)
    send("touchEnd")
    told(page, 3, 20)
    # Upwards the page scrolls and the cursor stays.
    x, y = spot(page, 25)
    send("touchStart", (x, y))
    for step in range(1, 20):
        send("touchMove", (x, y - 12 * step))
    send("touchEnd")
    at(page, 20)
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollTop") > 50
    told(page, 3, 20)
    context.close()


def test_pictures_of_one_row_move_together_and_one_tells_the_server(opened):
    page = opened("?twice=1")
    slider(page).nth(1).press("ArrowLeft")
    at(page, FIRST - 1, 0)
    at(page, FIRST - 1, 1)
    told(page, 2, FIRST - 1)
    slider(page).nth(0).press("Home")
    at(page, 0, 1)
    told(page, 3, 0)


def test_new_rows_are_taken_over_in_place(opened):
    page = opened("?sparse=1")
    expect(page.get_by_text("No run here yet.")).to_be_visible()
    slider(page).evaluate("chart => { chart.dataset.same = 'yes'; chart.focus() }")
    click(page, "Run again")
    told(page, 2, FIRST)
    page.get_by_role("switch", name="All rows").evaluate("it => it.click()")
    expect(page.get_by_text("Run 1 of 30: ")).to_be_visible()
    expect(slider(page)).to_have_attribute("data-same", "yes")
    expect(slider(page)).to_be_focused()
    slider(page).press("ArrowRight")
    at(page, FIRST + 1)
    told(page, 4, FIRST + 1)


def test_each_move_and_again_show_another_trained_run(opened):
    page = opened()
    people = page.get_by_role("img", name=re.compile("^Run"))
    for number, act in enumerate(
        (
            lambda: None,
            lambda: page.get_by_role("button", name="Again", exact=True).click(),
            lambda: slider(page).press("ArrowRight"),
        )
    ):
        act()
        stop = FIRST + (number == 2)
        found, missed, alarms, left = SHOWN.people.cases[stop][number]
        expect(people).to_have_accessible_name(
            f"Run {number + 1} of 30: {found} found, {missed} missed, "
            f"{alarms} false alarms, {left} rightly left alone"
        )
    told(page, 2, FIRST + 1)


def test_a_hostile_name_is_shown_letter_by_letter(opened):
    page = opened("?hostile=1&panels=3")
    name = page.locator(".legend li").filter(has_text="onerror").first
    expect(name).to_have_text(HOSTILE)
    name.hover()
    expect(page.locator(".read").filter(has_text=HOSTILE).first).to_be_visible()
    expect(page.locator(".picture img")).to_have_count(0)
    expect(page).to_have_title("A picture")


def test_it_is_whole_and_heard_at_every_width_in_both_themes(opened):
    page = opened("?panels=3")
    for theme in ("light", "dark"):
        wear(page, theme)
        for width in (1280, 640, 390):
            resize(page, width)
            expect_whole(page, width)
            expect(page.locator(".picture")).to_be_visible()
            assert page.locator(".picture").evaluate("it => it.scrollWidth - it.clientWidth") <= 0
            if width != 640:
                expect_no_barrier(page)
                photograph(page, f"picture_{theme}")
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Again", exact=True)).to_be_hidden()
    expect(page.locator(".chart .band").first).to_be_visible()
    page.emulate_media(media="screen")
