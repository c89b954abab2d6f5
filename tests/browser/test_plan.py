"""Plan in a real browser: what is seen, typed, heard by a screen reader, and sent out."""

import csv
import math
import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from dpcore.accounting.presets import preset
from dpcore.controls.account import QUESTION
from dpcore.controls.link import address as link_of
from dpcore.controls.plan import CONTROLS, PAPER, values
from tests.browser.barriers import expect_no_barrier
from tests.browser.sight import in_sight, share_above_the_fold
from tests.browser.test_explore import DRAWN
from tests.browser.waiting import (
    eventually,
    expect_alternative_texts,
    expect_whole,
    open_tab,
    photograph,
    resize,
    still_numbers,
    wait_until,
)

pytestmark = pytest.mark.slow("drives a browser")

TABS = (
    "Noise schedule",
    "Heat maps",
    "Paper 003",
    "σ ladder",
    "Accountants",
    "Take along",
)
ONE_RUN = urlencode(
    {
        QUESTION.key: QUESTION.text("run"),
        PAPER.key: "true",
        **link_of(CONTROLS, values(preset("chexpert").training)),
    }
)
FIGURES = ("Noise schedule", "Heat maps", "σ ladder")
# A column that is filled, and how many rows there are.
TABLES = {
    "Heat maps": ("epsilon", 221),
    "Paper 003": ("ε by the printed formula", 17),
    "σ ladder": ("sigma", 6),
    "Accountants": ("ε", 7),
}


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


def opened(watched, address, link=""):
    """One run in detail, by default an experiment of paper 003."""
    watched.page.goto(f"{address}/plan?{ONE_RUN}{link}")
    settled(watched.page)
    return watched.page


def number(page, label):
    metric = page.get_by_test_id("stMetric").filter(has_text=label).first
    return metric.get_by_test_id("stMetricValue").inner_text()


def _certified(page):
    """ε by PLD; infinite while it is computed."""
    text = number(page, "ε by PLD")
    return math.inf if text == "…" else float(text)


def expect_number(page, label, value):
    metric = page.get_by_test_id("stMetric").filter(has_text=label).first
    expect(metric.get_by_test_id("stMetricValue")).to_have_text(value)


def type_into(page, label, value):
    box = page.get_by_role("spinbutton", name=label, exact=True)
    box.fill(value)
    box.press("Enter")


def expect_download(page, folder, column, rows):
    """Wait until the table that is offered has so many rows, and something in the column."""

    def complete():
        with page.expect_download() as started:
            page.get_by_role("button", name="Download CSV").filter(visible=True).last.click()
        target = folder / started.value.suggested_filename
        started.value.save_as(target)
        with target.open(encoding="utf-8", newline="") as handle:
            result = list(csv.DictReader(handle))
        return len(result) == rows and any(row[column] for row in result)

    eventually(page, complete)


def test_first_view_answers_without_a_click(watched, address):
    page = opened(watched, address)
    expect(page.locator("h1")).to_have_text("What can I afford?")
    expect_number(page, "ε by Rényi", "0.343")
    expect_number(page, "ε by PLD", "0.302")
    expect_number(page, "ε by the formula", "1.66")
    legend = page.locator(".js-plotly-plot").first.locator(".legendtext")
    expect(legend).to_have_count(3)
    expect(page.get_by_text("tCDP corrected: not proved this way").first).to_be_visible()
    expect(page.get_by_text("the printed 1.66 holds").first).to_be_visible()
    expect(page.get_by_text("Amplification of tCDP is proved only for ρ").first).to_be_visible()


def test_a_key_press_changes_numbers_and_address(watched, address):
    page = opened(watched, address)
    box = page.get_by_role("spinbutton", name="First noise σ₀")
    box.focus()
    box.press("ArrowUp")
    expect_number(page, "ε by Rényi", "0.329")
    expect_number(page, "ε by PLD", "0.29")
    expect(page).to_have_url(re.compile(r"sigma=2\.9"))
    # A comma before decimals is a point, in a field that may hold thousands as well.
    box.press("Control+a")
    page.keyboard.type("2,8")
    box.press("Enter")
    expect(page).to_have_url(re.compile(r"sigma=2\.8"))


def test_a_preset_is_loaded_and_travels_in_the_link(watched, address):
    page = opened(watched, address)
    page.get_by_test_id("stSelectbox").filter(has_text="Load a paper's experiment").get_by_role(
        "combobox"
    ).click()
    # More levels of noise than are accounted at once, and few enough to wait for.
    page.get_by_role("option", name=re.compile("decay every iteration, 254 steps")).click()
    expect_number(page, "ε by the formula", "1.99")
    settled(page)
    expect_number(page, "ε by PLD", "0.701")
    expect(page.get_by_text("the printed 1.99 does not hold").first).to_be_visible()
    expect(page.get_by_text("Under replace-one").filter(has_text="the stated 2")).not_to_have_count(
        0
    )
    numbers = still_numbers(page)
    page.get_by_role("button", name="Link", exact=True).click()
    link = page.get_by_test_id("stCode").first.inner_text().strip()
    page.goto(link)
    settled(page)
    expect(page.get_by_test_id("stMetricValue")).to_have_text(numbers)


@pytest.mark.parametrize("unknown", ["noise σ₀", "epochs"])
def test_the_question_asked_backwards_can_be_used(watched, address, unknown):
    page = opened(watched, address, "&target=0.5")
    page.get_by_role("radio", name=unknown, exact=True).click()
    settled(page)
    certified = page.get_by_text(re.compile("For ε = 0.5: .*PLD, zero-out"))
    expect(certified).to_be_visible()
    page.get_by_role("button", name="Use this value").last.click()
    wait_until(page, "() => /sigma|duration|batch|plan_delta/.test(location.search)")
    settled(page)
    eventually(page, lambda: _certified(page) <= 0.5)


def test_an_entry_is_changed_and_keeps_what_is_no_number(watched, address):
    page = watched.page
    page.goto(f"{address}/plan")
    expect_number(page, "ε of all entries", "1.08")
    page.get_by_role("button", name="Change").click()
    box = page.get_by_role("textbox", name="Noise multiplier")
    box.fill("much")
    box.press("Enter")
    expect(page.get_by_text("noise is 'much', but it must be")).to_be_visible()
    expect_number(page, "ε of all entries", "1.08")
    box.fill("4")
    box.press("Enter")
    expect(page.get_by_text("noise is 'much', but it must be")).to_have_count(0)
    expect(page).to_have_url(re.compile("quarter~4~"))


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_answer_stays_in_sight_while_an_entry_is_changed(watched, address, width, height):
    page = watched.page
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{address}/plan")
    expect_number(page, "ε of all entries", "1.08")
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


def test_every_row_of_questions_is_full_in_a_narrow_window(watched, address):
    page = watched.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/plan")
    expect(page.get_by_role("radio")).to_have_count(3)
    edges = page.get_by_role("radio").evaluate_all(
        """buttons => buttons.map(button => {
          const {left, right, top} = button.getBoundingClientRect();
          return [Math.round(top), Math.round(left), Math.round(right)];
        })"""
    )
    rows = {top: [edge for edge in edges if edge[0] == top] for top, _, _ in edges}
    assert len(rows) > 1
    ends = {(min(one[1] for one in row), max(one[2] for one in row)) for row in rows.values()}
    assert len(ends) == 1, edges


def test_a_setting_for_the_budget_has_its_picture_above_the_fold(watched, address):
    page, link = watched.page, f"{address}/plan?question=Find+a+setting+for+my+budget"
    for sought in ("Epochs", "Noise+of+a+release"):
        for width, height, share in ((1280, 800, 1.0), (390, 844, 0.5)):
            page.set_viewport_size({"width": width, "height": height})
            page.goto(f"{link}&find={sought}")
            page.wait_for_selector(DRAWN, state="attached")
            assert share_above_the_fold(page) >= share, (sought, width)
            words, controls = in_sight(page)
            assert len(words) <= 150, " ".join(words)
            assert len(controls) <= 8, controls
    expect_alternative_texts(page, 1)


def test_what_is_no_number_stays_where_it_was_typed(watched, address):
    page = watched.page
    page.goto(f"{address}/plan?question=Find+a+setting+for+my+budget")
    expect(page.get_by_role("heading", name="Epochs: 67")).to_be_visible()
    box = page.get_by_role("textbox", name="It may spend ε")
    box.fill("two")
    box.press("Enter")
    expect(page.get_by_text("budget ε is 'two', but it must be")).to_be_visible()
    expect(box).to_have_value("two")
    expect(page.get_by_role("heading", name="Epochs: 67")).to_have_count(0)


def test_a_long_account_can_be_stopped(watched, address):
    page = watched.page
    page.goto(f"{address}/plan?{ONE_RUN}&length=Steps&duration=3000&decays=Every+step&decay=0.9995")
    main = page.get_by_test_id("stMain")
    main.get_by_role("button", name="Stop", exact=True).first.click()
    expect(main.get_by_role("button", name="Go on").first).to_be_visible(timeout=30_000)
    # The page is usable meanwhile.
    type_into(page, "First noise σ₀", "4")
    expect(page).to_have_url(re.compile("sigma=4"))


def test_a_hostile_link_shows_sentences_and_no_traceback(watched, address):
    page = opened(
        watched, address, "&sigma=-3&decay=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&solve=all"
    )
    warnings = page.get_by_test_id("stAlert")
    expect(warnings).to_have_count(1)
    expect(warnings.get_by_role("listitem")).to_have_count(3)
    wait_until(page, "() => !/sigma|decay|solve/.test(location.search)")
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.parametrize(
    ("theme", "widths"), [("light", (1280, 390)), ("dark", (390, 1280))], indirect=["theme"]
)
def test_every_tab_is_whole_heard_and_its_table_downloaded(
    watched, address, tmp_path, theme, widths
):
    # Every other tab is drawn at the other width, and in the other theme the others are.
    resize(watched.page, widths[0])
    page = opened(watched, address, "&solve=noise+σ₀")
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
        if tab in TABLES and theme == "light":
            expect_download(page, tmp_path, *TABLES[tab])
