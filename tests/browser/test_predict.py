"""A visit to the prediction page: few words, no barrier, and nothing of a person is left."""

import time

import pytest
from playwright.sync_api import expect

from dpcore.datasets.own.notation import read
from dpcore.release.demonstration import columns
from tests.browser import memory
from tests.browser.barriers import expect_no_barrier
from tests.browser.sight import in_sight
from tests.browser.test_sight import drawn
from tests.browser.waiting import expect_whole, photograph, resize

pytestmark = [pytest.mark.slow("drives a browser"), memory.needed]
TYPED, SHOWN = "61.735194", "61.7352"


def test_a_prediction_is_told_in_few_words_and_kept_nowhere(watched, server):
    page, began = watched.page, time.time()
    page.goto(f"{server.address}/predict")
    drawn(page)
    expect(page).to_have_title("What does a released model say? · Epsilon Explorer")
    first_sight(page, "light", 1280)
    page.emulate_media(media="print")
    expect(page.get_by_text("differentially private: one record blanked out")).to_be_visible()
    page.emulate_media(media="screen")
    answer = page.get_by_text("the model expects")
    before = answer.inner_text()
    age = page.get_by_role("textbox", name="age, 18 to 100 years")
    age.fill(TYPED)
    age.press("Enter")
    expect(answer).not_to_have_text(before)
    assert TYPED[:5] not in page.url
    page.get_by_role("link", name="Learn").last.click()
    expect(page.get_by_role("heading", name="1. Why noise?")).to_be_visible()
    for text in (TYPED, SHOWN):
        assert not memory.on_disk(text.encode(), server.cache, since=began)
    # On a telephone, loaded anew: the sidebar is hidden.
    resize(page, 390)
    page.emulate_media(color_scheme="dark")
    page.goto(f"{server.address}/predict")
    drawn(page)
    first_sight(page, "dark", 390)


def first_sight(page, theme, width):
    expect_whole(page, width)
    expect_no_barrier(page)
    words, controls = in_sight(page)
    form = [name for name in controls if name.startswith(fields())]
    assert len(words) <= 150, words
    assert len(controls) - len(form) <= 8, controls
    photograph(page, f"predict_{theme}")


def fields():
    """The names of the model's columns, with which its form's labels begin."""
    return tuple(field.name.replace("_", " ") for field in read(columns()).fields)
