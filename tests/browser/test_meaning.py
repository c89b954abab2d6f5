"""The panel on what ε means in a real browser: opened, moved by keyboard, copied, read aloud."""

import csv
import re

import pytest
from playwright.sync_api import expect

from tests.browser.barriers import expect_no_barrier
from tests.browser.test_explore import BREAST, CHEAP, choose, settled
from tests.browser.waiting import eventually, expect_whole, resize, wait_until

pytestmark = pytest.mark.slow("drives a browser")

LINK = f"?{CHEAP}&{BREAST}"


def opened(watched, address, link):
    watched.page.goto(f"{address}/{link}")
    settled(watched.page)
    return watched.page


def belief(page):
    shown = page.get_by_test_id("stMetric").filter(has_text="Belief after an alarm")
    return float(shown.get_by_test_id("stMetricValue").inner_text().removesuffix(" %"))


def test_it_opens_moves_by_keyboard_and_lives_in_the_address(watched, address, tmp_path):
    page = opened(watched, address, LINK)
    panel = page.locator("summary", has_text="What could an attacker tell?")
    expect(page.get_by_text("Belief after an alarm")).to_have_count(0)
    panel.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Belief after an alarm")).to_be_visible()
    before = belief(page)
    page.get_by_role("slider", name=re.compile("how sure is someone")).focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"prior=51"))
    expect(page.get_by_text("Someone is 51 % sure")).to_be_visible()
    eventually(page, lambda: belief(page) > before)
    page.get_by_role("radio", name="10 %", exact=True).click()
    expect(page.get_by_text("Hits at 10 %")).to_be_visible()
    settled(page)
    link = page.url
    for part in ("meaning=true", "prior=51", "alarms=10"):
        assert part in link
    after = belief(page)
    page.goto(link)
    settled(page)
    expect(page.get_by_text("Hits at 10 %")).to_be_visible()
    eventually(page, lambda: belief(page) == after)
    consent = page.get_by_test_id("stCode").filter(has_text="How we guard your record")
    consent.hover()
    consent.get_by_role("button").click()
    wait_until(
        page,
        """async () => (await navigator.clipboard.readText())
          .includes('has to guess if you are in the data')""",
    )
    page.get_by_role("button", name="Tables and CSV").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV", exact=True).first.click()
    target = tmp_path / started.value.suggested_filename
    started.value.save_as(target)
    with target.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert {row["series"] for row in rows} == {"exact", "budget"}
    assert {(row["epsilon"], row["adjacency"]) for row in rows} == {("1.0", "zero-out")}


@pytest.mark.parametrize(
    ("theme", "widths"), [("light", (1280, 390)), ("dark", (390, 1280))], indirect=["theme"]
)
def test_it_is_whole_and_without_barrier_on_every_ground(watched, address, widths):
    # Drawn at one width, and in the other theme at the other.
    resize(watched.page, widths[0])
    page = opened(watched, address, f"{LINK}&meaning=true")
    expect(page.get_by_text("For an ethics application")).to_be_visible()
    for width in widths:
        resize(page, width)
        settled(page)
        expect_whole(page, width)
        expect_no_barrier(page)


def test_there_is_one_panel_however_often_epsilon_or_the_method_moves(watched, address):
    page = opened(watched, address, "?methods=OPERA&methods=OutPert&focus=OutPert&expert=true")
    panels = page.locator("summary", has_text="What could an attacker tell?")
    slider = page.get_by_role("slider", name="Privacy loss ε")
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        slider.focus()
        before = page.url
        page.keyboard.press(key)
        wait_until(page, "before => location.href !== before", arg=before)
        settled(page)
        expect(panels).to_have_count(1)
    choose(page, "Numbers for", "OPERA")
    settled(page)
    expect(panels).to_have_count(1)
    panels.click()
    expect(page.get_by_text("Belief after an alarm")).to_be_visible()
    slider.focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    expect(panels).to_have_count(1)
    expect(page.get_by_text("Belief after an alarm")).to_have_count(1)
