"""Plan in a real browser: what is seen at once, and heard by a screen reader."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from dpcore.accounting.paper_003 import preset
from dpcore.controls.control import address as link_of
from dpcore.controls.plan import CONTROLS, QUESTION, values
from tests.browser.barriers import expect_no_barrier
from tests.browser.waiting import (
    DRAWN,
    expect_alternative_texts,
    expect_whole,
    photograph,
    resize,
    wait_until,
)

pytestmark = pytest.mark.slow("drives a browser")

ONE_RUN = urlencode(
    {
        QUESTION.key: QUESTION.text("run"),
        **link_of(CONTROLS, values(preset("chexpert").training)),
    }
)
FIGURES = {"Accountants": 1, "Schedule and map": 2, "Risk": 1, "Code": 0}
"""How many figures each chip draws."""


def settled(page):
    """Wait until the chart is drawn and nothing is computed in the background any more."""
    page.wait_for_selector(DRAWN, state="attached")
    wait_until(
        page,
        """() => document.querySelectorAll('[data-testid=stMetricValue]').length >= 3
          && !document.body.innerText.includes('comes here.')
          && document.querySelectorAll('[data-testid=stProgress]').length === 0
          && document.querySelector('[data-testid=stApp]')
            .getAttribute('data-test-script-state') === 'notRunning'""",
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
    expect(field).to_be_focused()
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
    field.fill("abc")
    field.press("Enter")
    expect(box.get_by_test_id("stAlert")).to_be_in_viewport()


@pytest.mark.parametrize(
    ("theme", "widths"), [("light", (1280, 390)), ("dark", (390, 1280))], indirect=["theme"]
)
def test_every_chip_is_whole_and_heard(watched, address, theme, widths):
    # Every other one is drawn at the other width, and in the other theme the others are.
    page = watched.page
    resize(page, widths[0])
    page.goto(f"{address}/plan?{ONE_RUN}&solve=Noise&paper=true")
    settled(page)
    photograph(page, f"plan_{theme}")
    expect_alternative_texts(page, 1)
    for chip, figures in FIGURES.items():
        choice = page.get_by_test_id("stButtonGroup").get_by_text(chip, exact=True)
        choice.click()
        expect(page.locator(".st-key-open_look")).not_to_be_empty()
        settled(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        expect_alternative_texts(page, 1 + figures)
        for width in widths:
            resize(page, width)
            expect_whole(page, width)
            if width == 1280:
                # All but what the chip draws stays as it is.
                first = chip == "Accountants"
                expect_no_barrier(page, None if first else ".st-key-open_look")
        choice.click()
        expect(page.locator(".st-key-open_look")).to_have_count(0)
        widths = (widths[1], widths[0])


def test_a_run_over_budget_is_fitted_with_a_click(watched, address):
    page = watched.page
    page.goto(f"{address}/plan?question=One+run&sigma=0.8")
    page.get_by_role("button", name="Fit to ε = 3").click()
    expect(page.get_by_text("This run spends ε = 3 of 3.")).to_be_visible()
    field = page.get_by_role("spinbutton", name="First noise σ₀")
    expect(field).to_have_value("1.0402")
    expect(page).to_have_url(f"{address}/plan?question=One+run&sigma=1.0402")
