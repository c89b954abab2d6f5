"""What a busy machine may take its time for: looked at again until it holds."""

from __future__ import annotations

import os
import time
from pathlib import Path

from playwright.sync_api import FilePayload, expect

from dpcore.controls.explore import CLOSER, EPSILON

DRAWN = ".js-plotly-plot .scatterlayer .trace path"
"""What a chart has once it is drawn."""
PATIENCE = 120_000
"""Milliseconds that anything on the page may take, however busy the machine."""


def eventually(page, condition):
    """Look again and again until `condition()`; fail when it does not within the patience."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not condition():
        assert time.monotonic() < deadline, "it did not hold in time"
        page.wait_for_timeout(100)


def wait_until(page, script, arg=None):
    """Wait until a script of the browser's answers yes.

    It is asked ten times a second: asked before every frame, as by default, one that lays the page
    out keeps a processor to itself.
    """
    page.wait_for_function(script, arg=arg, polling=100)


def idle(page):
    """Wait until the page's script has run to its end."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')


def hand_over(page, name, data):
    """Choose a file in the page's one upload field.

    The first run must have ended: while it draws, Streamlit may replace the field, and a file that
    was chosen in the one before is lost without a word.
    """
    idle(page)
    kind: FilePayload = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.locator("input[type=file]").set_input_files(kind)


def look_closer(page, name):
    """Open a tab under Explore's answer, and wait until it begins to come."""
    chips = list(CLOSER)
    chip, tabs = next((chip, tabs) for chip, tabs in CLOSER.items() if name in tabs)
    choices = [page.locator(".st-key-look_closer").get_by_role("radio").nth(chips.index(chip))]
    if len(tabs) > 1:
        choices.append(page.get_by_role("radio", name=name, exact=True))
    for choice in choices:
        choice.click()
        expect(choice).to_be_checked()
    expect(page.locator(".st-key-open_tab")).not_to_be_empty()


def answered(page):
    """Wait until Explore's first answer is there, and the script at rest; its cursor."""
    cursor = page.get_by_role("slider", name=EPSILON.label)
    expect(cursor.first).to_be_visible()
    idle(page)
    return cursor.first


def open_tab(page, name):
    """Go to a tab and wait until what it shows begins to come."""
    tab = page.get_by_role("tab", name=name, exact=True)
    tab.click()
    expect(tab).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tabpanel", name=name, exact=True)).not_to_be_empty()


def still(page):
    """Wait until the page no longer changes: a theme is followed in several steps."""
    shown = ""

    def unchanged():
        nonlocal shown
        idle(page)
        before, shown = shown, page.get_by_test_id("stMain").evaluate("main => main.outerHTML")
        page.wait_for_timeout(400)
        return shown == before

    eventually(page, unchanged)


def still_numbers(page):
    """The big numbers, once they no longer change."""
    shown: list[str] = []

    def unchanged():
        nonlocal shown
        idle(page)
        before, shown = shown, numbers_of(page).all_inner_texts()
        page.wait_for_timeout(400)
        return bool(shown) and shown == before

    eventually(page, unchanged)
    return shown


def numbers_of(page):
    """The big numbers, of a picture and of the page."""
    return page.locator("[data-testid=stMetricValue], .picture dd.value")


def expect_alternative_texts(page, charts, or_more=False):
    """Wait until there are so many charts, each with a sentence for who cannot see it."""

    def all_named():
        labels = page.evaluate(
            """() => [...document.querySelectorAll('[data-testid=stPlotlyChart]')].map((chart) => {
              const named = chart.closest('[aria-label]') || chart.querySelector('[aria-label]');
              return named ? named.getAttribute('aria-label') : '';
            })"""
        )
        enough = len(labels) >= charts if or_more else len(labels) == charts
        return enough and all(len(label) > 20 for label in labels)

    eventually(page, all_named)


def expect_whole(page, width):
    """Wait until nothing is wider than the window."""
    wait_until(
        page,
        """width => {
          const main = document.querySelector('[data-testid=stMain]');
          return document.documentElement.scrollWidth <= width
            && main.scrollWidth <= main.clientWidth;
        }""",
        arg=width,
    )


def resize(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    wait_until(page, "width => window.innerWidth === width", arg=width)


def wear(page, theme):
    """Let the machine go dark or light, and wait until the page has followed, charts and all."""
    page.emulate_media(color_scheme=theme)
    wait_until(
        page,
        """dark => {
          const ground = getComputedStyle(document.querySelector('[data-testid=stApp]'));
          return (parseInt(ground.backgroundColor.match(/\\d+/)[0]) < 128) === dark
            && document.getAnimations().every(one => one.playState !== 'running');
        }""",
        arg=theme == "dark",
    )
    still(page)


def photograph(page, name):
    """Keep a picture of the whole page where `DPCORE_SCREENSHOTS` names a folder for it."""
    folder = os.environ.get("DPCORE_SCREENSHOTS")
    if folder:
        width = page.evaluate("window.innerWidth")
        height = page.get_by_test_id("stMain").evaluate("main => main.scrollHeight")
        page.set_viewport_size({"width": width, "height": height + 60})
        page.wait_for_timeout(500)
        page.screenshot(path=str(Path(folder) / f"{name}_{width}.png"))
        resize(page, width)
