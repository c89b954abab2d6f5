"""What readers come to do, from the first page to the answer, in few clicks or by keys alone."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from dpcore.accounting.presets import CLAIM
from dpcore.datasets.own.notation import read
from tests.browser.barriers import expect_no_barrier
from tests.browser.hand import Hand, Keyboard, Mouse
from tests.browser.test_explore import CHEAP, settled
from tests.browser.waiting import (
    PATIENCE,
    eventually,
    expect_whole,
    photograph,
    still_numbers,
)
from tests.pages.test_explore_own import SUGGESTED, clinic

pytestmark = pytest.mark.slow("drives a browser")

LOST = re.compile(r"; (\d+\.\d) points fewer than without privacy")


@pytest.fixture(params=[Mouse, Keyboard], ids=["mouse", "keyboard"])
def hand(request, watched):
    kind: type[Hand] = request.param
    return kind(watched.page)


def first_page(hand, address, more=""):
    """Explore, where nothing is trained in the background."""
    page = hand.page
    page.goto(f"{address}/?{CHEAP}{more}")
    settled(page)
    return page


def lost(page, epsilon):
    """Points lost to the model without privacy, by the sentence above the chart."""
    sentence = page.get_by_text(re.compile(f"^At ε = {re.escape(epsilon)} .*{LOST.pattern}"))
    result = LOST.search(sentence.inner_text())
    assert result is not None
    return float(result.group(1))


@pytest.mark.usefixtures("data_folder")
def test_the_least_epsilon_that_loses_little_on_heart_and_the_cases_missed(hand, address):
    page = first_page(hand, address)
    hand.choose(page.get_by_role("combobox", name="Data"), "Heart disease (Cleveland)")
    # At first on five splits, then on all.
    line = "Heart disease (Cleveland) · 303 patients · judged on 303 of them, in 100 splits"
    # Three methods on three feature maps: a minute of a processor that others use, too.
    expect(page.get_by_text(line)).to_be_visible(timeout=3 * PATIENCE)
    epsilon = page.get_by_role("spinbutton", name="Privacy loss ε")
    hand.type(epsilon, "1")
    assert lost(page, "1") >= 3.0
    hand.retype(epsilon, "1.5")
    assert lost(page, "1.5") < 3.0
    missed = page.get_by_test_id("stMetric").filter(has_text="Missed · false alarms")
    expect(missed.get_by_test_id("stMetricValue")).to_have_text("128 · 51")
    expect(page.get_by_text("of 1,000; 99 · 60 without privacy")).to_be_visible()
    assert hand.clicks == 3


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
    expect(page.get_by_test_id("stMetricLabel").first).to_contain_text("Accuracy")
    settled(page)
    linked = parse_qs(urlparse(page.url).query)
    assert read(linked["own_columns"][0]) == read(SUGGESTED)
    assert hand.clicks == 5


def test_a_year_of_weekly_releases_and_four_trainings(hand, address):
    page = first_page(hand, address)

    def spent(epsilon):
        metric = page.get_by_test_id("stMetric").filter(has_text="ε of all entries")
        expect(metric.get_by_test_id("stMetricValue")).to_have_text(epsilon)

    hand.press(page.get_by_role("link", name="What can I afford?"))
    spent("1.08")
    hand.press(page.get_by_role("button", name="Add weekly releases"))
    spent("1.81")
    for total in ("2.15", "2.46", "2.74"):
        hand.press(page.get_by_role("button", name="Add a training"))
        spent(total)
    expect(page.get_by_role("textbox", name="My budget ε")).to_have_value("3")
    expect(page.get_by_text("Left: 1 more training like")).to_be_visible()
    expect_whole(page, 1280)
    page.go_back()
    spent("2.46")
    page.go_forward()
    spent("2.74")
    assert hand.clicks == 5


def test_the_claim_of_paper_003_is_judged(hand, address):
    page = first_page(hand, address)
    hand.press(page.get_by_role("link", name="Is it true?"))
    hand.press(page.get_by_role("button", name=re.compile(r"\(paper 003, 2021\)")))
    expect(page.locator("h1")).to_have_text("Adaptive private deep learning")
    expect(page.get_by_text(CLAIM).first).to_be_in_viewport()
    link = page.get_by_role("link", name="openaccess.thecvf.com")
    expect(link).to_have_attribute("href", re.compile("WACV2021"))
    assert hand.clicks == 2


def test_a_telephone_shows_the_same_by_the_link(hand, address):
    page = first_page(hand, address, "&epsilon=0.4&view=Per+1,000&loss=Huber+SVM&patients=1,000")
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
    settled(page)
    assert still_numbers(page) == before
    expect(page.get_by_text("At ε = 0.5 OPERA is right for")).to_be_visible()
    expect(page.get_by_text("At ε = 0.5, of 1,000 patients")).to_be_attached()
    expect(page.get_by_role("radio", name="Per 1,000")).to_be_checked()
    expect(page.get_by_text("Huber SVM, trained on 1,000 records")).to_be_attached()
    expect_whole(page, 390)


def test_the_epochs_that_a_budget_allows(hand, address):
    page = first_page(hand, address)
    hand.press(page.get_by_role("link", name="What can I afford?"))
    hand.press(page.get_by_role("radio", name="Find a setting for my budget"))
    answer = page.get_by_role("heading", name=re.compile("^Epochs: "))
    expect(answer).to_have_text("Epochs: 67")
    expect(page.get_by_role("spinbutton", name="Batch size")).to_have_value("256")
    hand.type(page.get_by_role("textbox", name="It may spend ε"), "2")
    hand.type(page.get_by_role("spinbutton", name="People in the data n"), "60000")
    hand.type(page.get_by_role("spinbutton", name="Noise multiplier"), "1.1")
    expect(answer).to_have_text("Epochs: 34")
    expect(page.get_by_text("of 2 at δ = 1e-6 (PLD, zero-out)")).to_be_visible()
    assert hand.clicks == 5
