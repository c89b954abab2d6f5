"""Learn in a real browser: guess, see, change; on a wide and on a narrow screen."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.barriers import expect_no_barrier
from tests.browser.sight import in_sight
from tests.browser.waiting import expect_alternative_texts, idle, resize

pytestmark = pytest.mark.slow("drives a browser")
AXES = ".js-plotly-plot .xaxislayer-above .xtick"


def opened(watched, address, link=""):
    page = watched.page
    page.goto(f"{address}/learn{link}")
    expect(page.locator(AXES).first).to_be_attached()
    idle(page)
    return page


def guess(page, key):
    """Move the first slider by a key, and see the guess in the chart."""
    page.get_by_test_id("stMain").get_by_role("slider").first.focus()
    page.keyboard.press(key)
    expect(page.locator(".js-plotly-plot .scatterlayer .trace path").first).to_be_attached()
    idle(page)


def test_a_guess_is_drawn_and_then_compared(watched, address):
    page = opened(watched, address)
    names = page.locator(".legendtext")
    guess(page, "Home")
    mine = page.get_by_test_id("stMain").get_by_test_id("stSliderThumbValue")
    expect(mine.first).to_have_text("50")
    page.get_by_role("button", name="Show me").click()
    expect(names).to_have_text(["right guesses", "your guess"])
    expect(page.get_by_text(re.compile("Your guess is off by"))).to_be_visible()
    assert "guess" not in page.url
    page.get_by_role("radio", name="50").click()
    expect(names).to_have_text(["right guesses", "after your change", "your guess"])
    expect(page).to_have_url(re.compile("learn_known=50"))
    expect_alternative_texts(page, 1)
    expect_no_barrier(page)


def test_a_class_has_one_lesson_and_one_seed(watched, address):
    page = opened(watched, address, "?lesson=3&seed=7&class=true")
    expect(page.locator("h1")).to_contain_text("3.")
    expect(page.get_by_role("spinbutton", name="Seed")).to_be_disabled()
    expect(page.get_by_text("link asks for")).to_have_count(0)
    expect(page).to_have_title("Learn · Epsilon Explorer")
    page.keyboard.press("Tab")
    door = page.locator(".st-key-doors").get_by_role("link", name="Train")
    door.focus()
    expect(door).to_have_css("outline", "rgb(0, 95, 150) solid 3px")


def test_a_room_sees_question_control_picture_and_sentence_at_once(watched, address):
    watched.page.set_viewport_size({"width": 1280, "height": 800})
    page = opened(watched, address, "?lesson=3&presenter=true")
    main = page.get_by_test_id("stMain")

    def expect_in_sight(control, sentence):
        for each in (page.locator("h1"), control.first, page.get_by_text(re.compile(sentence))):
            expect(each).to_be_in_viewport(ratio=1)
        expect_no_barrier(page)

    expect_in_sight(main.get_by_test_id("stSliderThumbValue"), "The true curve comes after")
    guess(page, "End")
    page.get_by_role("button", name="Show me").click()
    expect_in_sight(main.get_by_role("radiogroup"), "Your guess is off by")
    assert in_sight(page).controls == ["ε"]
    page.get_by_test_id("stExpandSidebarButton").click()
    title = page.get_by_test_id("stSidebar").locator(".stSelectbox input")
    expect(title).to_be_in_viewport()
    assert title.evaluate("each => each.scrollWidth <= each.clientWidth")


def test_a_chart_is_saved_as_a_picture_beside_its_legend(watched, address):
    resize(watched.page, 390)
    page = opened(watched, address, "?lesson=2")
    guess(page, "End")
    page.get_by_role("button", name="Show me").click()
    legend = page.locator(".js-plotly-plot .legend")
    expect(legend).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    page.locator(".js-plotly-plot").hover()
    bar, words = page.locator(".modebar").bounding_box(), legend.bounding_box()
    assert bar is not None
    assert words is not None
    assert bar["y"] > words["y"] + words["height"]
    for kind, begins in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        page.get_by_role("button", name="Link", exact=True).click()
        page.get_by_role("radio", name=kind).click()
        expect(page.get_by_role("radio", name=kind)).to_be_checked()
        page.keyboard.press("Escape")
        # Until the page has run anew, the chart's button is that of the kind before; then the chart
        # stands beside the one of before for a moment.
        title = "Download plot as a PNG" if kind == "PNG" else "Download plot"
        expect(page.locator(f".modebar-btn[data-title='{title}']")).to_have_count(1)
        expect(page.locator(".js-plotly-plot")).to_have_count(1)
        idle(page)
        page.locator(".js-plotly-plot").hover()
        expect(page.locator(".modebar-btn")).to_have_count(1)
        with page.expect_download() as saved:
            page.locator(".modebar-btn").click()
        assert saved.value.suggested_filename.endswith(f".{kind.lower()}")
        assert saved.value.path().read_bytes().startswith(begins)
