"""What readers come to do, from the first page to the answer, in few clicks or by keys alone."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from dpcore.datasets.own.notation import read
from tests.browser.barriers import expect_no_barrier
from tests.browser.hand import Hand, Keyboard, Mouse
from tests.browser.test_explore import CHEAP
from tests.browser.waiting import answered, eventually, expect_whole, photograph, still_numbers
from tests.pages.test_explore_own import SUGGESTED, clinic

pytestmark = pytest.mark.slow("drives a browser")


@pytest.fixture(params=[Mouse, Keyboard], ids=["mouse", "keyboard"])
def hand(request, watched):
    kind: type[Hand] = request.param
    return kind(watched.page)


def first_page(hand, address, more=""):
    """Explore, where nothing is trained in the background."""
    page = hand.page
    page.goto(f"{address}/?{CHEAP}{more}")
    answered(page)
    return page


def test_a_clinics_file_with_gaps_is_a_curve(hand, address):
    page = first_page(hand, address)
    hand.choose(page.get_by_role("combobox", name="Data"), "Your own table")
    expect(page.get_by_text("never from these records").first).to_be_visible()
    hand.hand_over(
        page.get_by_test_id("stFileUploader").locator("button", has_text="Upload"),
        {"name": "clinic.csv", "mimeType": "text/csv", "buffer": clinic(400)},
    )
    expect(page.get_by_text("age, sex, smoker, bmi, systolic, outcome")).to_be_visible()
    if isinstance(hand, Mouse):
        expect_whole(page, 1280)
        expect_no_barrier(page)
        photograph(page, "own_form")
    hand.press(page.get_by_role("button", name="Confirm and use these columns"))
    expect(page.get_by_text("Your own table · 400 records · judged on ")).to_be_visible()
    answered(page)
    expect(page.locator(".picture dt").first).to_have_text("Right decisions")
    linked = parse_qs(urlparse(page.url).query)
    assert read(linked["own_columns"][0]) == read(SUGGESTED)
    assert hand.clicks == 5


def test_a_telephone_shows_the_same_by_the_link(hand, address):
    page = first_page(hand, address, "&epsilon=0.4&view=Per+thousand&loss=Huber+SVM&patients=1000")
    # It draws a part of the page only; the link is of the whole.
    field = page.get_by_role("spinbutton", name="Privacy loss ε")
    field.fill("0.5")
    field.press("Enter")
    expect(page.get_by_text("At ε = 0.5 OPERA is right for")).to_be_visible()
    before = still_numbers(page)
    hand.press(page.get_by_role("button", name="Link", exact=True))
    code = page.get_by_test_id("stPopoverBody").get_by_test_id("stCode")
    code.hover()
    hand.press(code.get_by_role("button"))
    link: list[str] = []

    def copied():
        link[:] = [page.evaluate("navigator.clipboard.readText()")]
        return link[0].startswith(address)

    eventually(page, copied)
    assert hand.clicks == 2
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(link[0])
    answered(page)
    assert still_numbers(page) == before
    expect(page.get_by_text("At ε = 0.5 OPERA is right for")).to_be_visible()
    expect(page.get_by_text("At ε = 0.5, of 1 000 patients")).to_be_attached()
    expect(page.get_by_role("radio", name="Per thousand")).to_be_checked()
    expect(page.get_by_text("Huber SVM, trained on 1 000 records")).to_be_attached()
    expect_whole(page, 390)


def test_the_epochs_that_a_budget_allows(hand, address):
    page = first_page(hand, address)
    hand.press(page.get_by_role("link", name="What can I afford?"))
    hand.press(page.get_by_role("radio", name="One run"))
    hand.press(page.get_by_test_id("stMain").get_by_role("radio", name="Epochs"))
    answer = page.get_by_role("heading", name=re.compile("epochs instead of 10"))
    expect(answer).to_contain_text("67 epochs")
    expect(page.get_by_role("spinbutton", name="Batch size")).to_have_value("256")
    hand.type(page.get_by_role("textbox", name="Budget ε"), "2")
    hand.type(page.get_by_role("spinbutton", name="Records n"), "60000")
    hand.type(page.get_by_role("spinbutton", name="First noise σ₀"), "1.1")
    expect(answer).to_contain_text("34 epochs")
    expect(page.get_by_text("proved · δ = 10⁻⁶ · zero-out")).to_be_visible()
    assert hand.clicks == 6
