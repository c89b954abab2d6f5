"""Learn in a real browser: guess, see, change; on a wide and on a narrow screen."""

import json
import re

import pytest
from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.barriers import expect_no_barrier
from tests.browser.conftest import new_context
from tests.browser.waiting import expect_alternative_texts, expect_whole, idle, resize

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
    page.get_by_role("button", name="Show me").click()
    expect(names).to_have_text(["right guesses", "your guess"])
    expect(page.get_by_text(re.compile("Your guess is .* away"))).to_be_visible()
    assert "guess" not in page.url
    door = page.locator(".st-key-doors").get_by_role("link", name="Train")
    page.keyboard.press("Tab")
    door.focus()
    expect(door).to_have_css("outline", "rgb(0, 95, 150) solid 3px")
    expect_alternative_texts(page, 1)
    expect_no_barrier(page)


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


COINS = """given => {
  // The first toss says whether the truth is sent, the second what is sent instead.
  const tosses = [...given];
  crypto.getRandomValues = (numbers) => { numbers[0] = tosses.shift(); return numbers; };
}"""
HONEST, CHANCE = 2**31 - 1, 2**31
"""The last toss at which a coin of ε = ln 3 lets the truth through, and the first at which not."""


@pytest.fixture
def phone(browser):
    """Another visitor's page, on a phone."""
    context = new_context(browser)
    page = context.new_page()
    resize(page, 390)
    yield page
    context.close()


def test_a_phone_s_guess_comes_to_the_presenter_s_screen(watched, address, phone):
    page = opened(watched, address)
    page.get_by_role("button", name="Open a class").click()
    code = page.get_by_test_id("stMetricValue").inner_text()
    phone.goto(f"{address}/learn?class_code={code}")
    expect(phone.locator(AXES).first).to_be_attached()
    idle(phone)
    expect_no_barrier(phone)
    guess(phone, "End")
    send = phone.get_by_role("button", name="Send my guess")
    expect(send).to_be_enabled()
    expect_whole(phone, 390)
    send.click()
    expect(page.get_by_text("1 phone has guessed")).to_be_visible()
    expect(page.locator(".js-plotly-plot .scatterlayer .trace path")).to_have_count(1)
    expect(phone.locator(".legendtext")).to_have_text([])
    page.get_by_role("button", name="Show me").click()
    expect(page.locator(".legendtext")).to_have_text(["right guesses", "guesses of the class"])
    expect(phone.locator(".legendtext")).to_have_text(["right guesses", "your guess"])
    page.set_viewport_size({"width": 1280, "height": 800})
    step = page.get_by_role("button", name="Next lesson")
    expect(step).to_be_in_viewport(ratio=1)
    expect_no_barrier(page)
    step.click()
    expect(phone.get_by_role("heading", name="2.")).to_be_visible()
    phone.reload()
    page.reload()
    # Both are who they were.
    expect(page.get_by_test_id("stMetricValue")).to_have_text(code)
    expect(phone.get_by_role("button", name="Send my guess")).to_be_visible()


@pytest.mark.parametrize("by_chance", ["Yes", "No"])
def test_what_is_sent_does_not_tell_what_was_answered(browser, address, by_chance):
    tosses = [CHANCE, int(by_chance == "Yes")]
    first, second = (told(browser, address, answer, tosses) for answer in ("Yes", "No"))
    assert first == second
    assert sent(first) == by_chance.lower()


def test_the_coin_lets_the_true_answer_through(browser, address):
    assert sent(told(browser, address, "Yes", [HONEST])) == "yes"
    assert sent(told(browser, address, "No", [HONEST])) == "no"


@pytest.mark.parametrize("theme", ["light", "dark"], indirect=True)
def test_an_answer_is_asked_and_kept_while_the_tab_is_open(watched, address):
    resize(watched.page, 390)
    page = opened(watched, address, "?lesson=7")
    expect_no_barrier(page)
    expect_whole(page, 390)
    page.get_by_role("button", name="Yes", exact=True).click()
    told = page.get_by_text("This browser sent:")
    expect(told).to_be_visible()
    before = told.inner_text()
    estimate = page.get_by_text("of 100 answers came in as Yes")
    expect(estimate).to_be_visible()
    sentence = estimate.inner_text()
    expect_no_barrier(page)
    page.reload()
    expect(page.get_by_text(before)).to_be_visible()
    expect(page.get_by_text(sentence)).to_be_visible()
    expect(page.get_by_role("button", name="Yes", exact=True)).to_have_count(0)


def sent(widgets):
    """The only answer among what the widgets hold."""
    ((event,),) = [json.loads(text) for each in widgets if (text := each.json_trigger_value)]
    assert set(event) == {"event", "value"}
    return event["value"]


def told(browser, address, answer, tosses):
    """All that the browser tells the server as one answers, and the coin falls so."""
    context = new_context(browser)
    page = context.new_page()
    frames = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: frames.append(frame)))
    page.goto(f"{address}/learn?lesson=7")
    expect(page.locator(AXES).first).to_be_attached()
    idle(page)
    page.evaluate(COINS, tosses)
    frames.clear()
    page.get_by_role("button", name=answer, exact=True).click()
    expect(page.get_by_text("This browser sent:")).to_be_visible()
    expect(page.get_by_text("of 100 answers came in as Yes")).to_be_visible()
    idle(page)
    context.close()
    message = BackMsg()
    (frame,) = frames
    message.ParseFromString(frame)
    return sorted(message.rerun_script.widget_states.widgets, key=lambda widget: widget.id)
