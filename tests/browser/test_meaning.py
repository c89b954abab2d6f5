"""The panel on what ε means in a real browser: opened, moved by keyboard, copied, read aloud."""

import re

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser.barriers import expect_no_barrier
from tests.browser.test_explore import BREAST, CHEAP, opened
from tests.browser.waiting import answered, eventually, expect_whole, resize, wait_until

pytestmark = pytest.mark.slow("drives a browser")

LINK = f"?{CHEAP}&{BREAST}"


def belief(page):
    shown = page.get_by_test_id("stMetric").filter(has_text="Belief after an alarm")
    return float(shown.get_by_test_id("stMetricValue").inner_text().removesuffix(" %"))


def test_it_opens_and_moves_by_keyboard_and_is_copied(watched, address):
    page = opened(watched, address, LINK)
    panel = page.locator("summary", has_text="What could an attacker tell?")
    panel.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Belief after an alarm")).to_be_visible()
    before = belief(page)
    page.get_by_role("slider", name=re.compile("how sure is someone")).focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"(?=.*meaning=true)(?=.*prior=51)"))
    eventually(page, lambda: belief(page) > before)
    answered(page)
    consent = page.get_by_test_id("stCode").filter(has_text="How we guard your record")

    def pressed():
        # A curve that comes draws the tab anew under the mouse, and the button goes.
        try:
            consent.hover(timeout=2_000)
            consent.get_by_role("button").click(timeout=2_000)
        except TimeoutError:
            return False
        return True

    eventually(page, pressed)
    wait_until(
        page,
        """async () => (await navigator.clipboard.readText())
          .includes('has to guess if you are in the data')""",
    )


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
        answered(page)
        expect_whole(page, width)
        expect_no_barrier(page)
