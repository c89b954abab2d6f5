"""Plan in a real browser: what is seen at once, and heard by a screen reader."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from dpcore.accounting.presets import preset
from dpcore.controls.account import QUESTION
from dpcore.controls.link import address as link_of
from dpcore.controls.plan import CONTROLS, PAPER, values
from tests.browser.barriers import expect_no_barrier
from tests.browser.test_explore import DRAWN
from tests.browser.waiting import (
    expect_alternative_texts,
    expect_whole,
    open_tab,
    photograph,
    resize,
    wait_until,
)

pytestmark = pytest.mark.slow("drives a browser")

TABS = ("Noise schedule", "Heat maps", "Paper 003", "σ ladder", "Accountants", "Take along")
ONE_RUN = urlencode(
    {
        QUESTION.key: QUESTION.text("run"),
        PAPER.key: "true",
        **link_of(CONTROLS, values(preset("chexpert").training)),
    }
)
FIGURES = ("Noise schedule", "Heat maps", "σ ladder")
# A column that is filled, and how many rows there are.


def settled(page):
    """Wait until the chart is drawn and nothing is computed in the background any more."""
    page.wait_for_selector(DRAWN, state="attached")
    wait_until(
        page,
        """() => {
          const texts = [...document.querySelectorAll('[data-testid=stMetricValue]')];
          const app = document.querySelector('[data-testid=stApp]');
          return texts.length >= 5 && texts.every((text) => text.innerText.trim() !== '…')
            && !document.body.innerText.includes('comes here.')
            && document.querySelectorAll('[data-testid=stProgress]').length === 0
            && app.getAttribute('data-test-script-state') === 'notRunning';
        }""",
    )
    page.wait_for_timeout(100)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_answer_stays_in_sight_while_an_entry_is_changed(watched, address, width, height):
    page = watched.page
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{address}/plan")
    page.get_by_role("button", name="Change").click()
    box = page.get_by_test_id("stPopoverBody")
    field = box.get_by_role("textbox", name="Noise multiplier")
    field.fill("4")
    field.press("Enter")
    answer = box.get_by_text("All that is planned spends ε = 0.464 of 3.")
    expect(answer).to_be_visible()
    box.evaluate("box => { box.scrollTop = box.scrollHeight; }")
    expect(box.get_by_role("button", name="Remove it")).to_be_in_viewport()
    expect(answer).to_be_in_viewport()
    # No field is over it.
    assert answer.evaluate(
        """answer => {
          const {x, y, width, height} = answer.getBoundingClientRect();
          return answer.contains(document.elementFromPoint(x + width / 4, y + height / 2));
        }"""
    )


@pytest.mark.parametrize(
    ("theme", "widths"), [("light", (1280, 390)), ("dark", (390, 1280))], indirect=["theme"]
)
def test_every_tab_is_whole_and_heard(watched, address, theme, widths):
    # Every other tab is drawn at the other width, and in the other theme the others are.
    page = watched.page
    resize(page, widths[0])
    page.goto(f"{address}/plan?{ONE_RUN}&solve=noise+σ₀")
    settled(page)
    photograph(page, f"plan_{theme}")
    # In the dark only what draws: the other tabs hold tables.
    for tab in TABS if theme == "light" else FIGURES:
        open_tab(page, tab)
        settled(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        # ε against steps, what ε means for one person, and the tab's own. Streamlit may show the
        # tab that was left a moment longer.
        expect_alternative_texts(page, 2 + (tab in FIGURES))
        for width in widths:
            resize(page, width)
            expect_whole(page, width)
            if width == 1280:
                # All but the tab stays as it is.
                expect_no_barrier(page, None if tab == TABS[0] else "[data-testid=stTabs]")
        widths = (widths[1], widths[0])
