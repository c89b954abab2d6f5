"""Two browsers with the same training: it ends with the last, also where nobody presses Stop."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from dpcore.evaluation import watchers
from tests.browser.server import Server, running
from tests.browser.test_explore import DRAWN
from tests.browser.waiting import PATIENCE, eventually

pytestmark = pytest.mark.browser

# Begins by itself, and takes long enough to be stopped.
MEDIUM = "?passes=15&units=8&repeats=2"
LONG = "?passes=1000&repeats=30&schedule=Constant"
EXPIRES_SECONDS = 6.0


@pytest.fixture(scope="module")
def server(browser: Browser) -> Iterator[Server]:
    with running(**{watchers.SECONDS: f"{EXPIRES_SECONDS}"}) as found:
        yield found


@pytest.fixture
def people(browser: Browser, server: Server) -> Iterator[tuple[Page, Page]]:
    """Two who know nothing of each other."""
    contexts = [browser.new_context() for _ in range(2)]
    for context in contexts:
        context.set_default_timeout(PATIENCE)
    yield contexts[0].new_page(), contexts[1].new_page()
    for context in contexts:
        context.close()


def tickets(server: Server) -> set[str]:
    """Of the jobs that wait or run."""
    return {path.stem for path in (server.cache / "jobs").glob("*.job")}


def opened(page: Page, server: Server, link: str) -> None:
    page.goto(f"{server.address}/train{link}")
    page.wait_for_selector(DRAWN, state="attached")


def test_one_stops_and_the_other_sees_the_result(people: tuple[Page, Page], server: Server) -> None:
    anne, bert = people
    for page in people:
        opened(page, server, MEDIUM)
    for page in people:
        page.locator(".st-key-train_stop button").wait_for()
    anne.locator(".st-key-train_stop button").click()
    expect(anne.get_by_text("Stopped.").first).to_be_visible()
    bert.get_by_text("Trained.").wait_for()
    expect(anne.get_by_test_id("stException")).to_have_count(0)


def test_both_stop_and_it_ends(people: tuple[Page, Page], server: Server) -> None:
    anne, bert = people
    opened(anne, server, LONG)
    anne.locator(".st-key-train_start button").click()
    anne.locator(".st-key-train_stop button").wait_for()
    eventually(anne, lambda: bool(tickets(server)))
    opened(bert, server, LONG)
    bert.get_by_text(re.compile("After epoch .* of 1,000")).first.wait_for()
    anne.locator(".st-key-train_stop button").click()
    expect(anne.get_by_text("Stopped. What was learned before is shown.")).to_be_visible()
    anne.wait_for_timeout(2_000)
    assert tickets(server)
    bert.locator(".st-key-train_stop button").click()
    expect(bert.get_by_text("Stopped. What was learned before is shown.")).to_be_visible()
    eventually(bert, lambda: not tickets(server))


def test_a_browser_that_is_closed_ends_what_only_it_waited_for(
    people: tuple[Page, Page], server: Server
) -> None:
    anne, bert = people
    opened(anne, server, LONG.replace("1000", "999"))
    anne.locator(".st-key-train_start button").click()
    anne.locator(".st-key-train_stop button").wait_for()
    eventually(anne, lambda: bool(tickets(server)))
    # Loaded anew, the page waits for it again.
    anne.reload()
    anne.locator(".st-key-train_stop button").wait_for()
    anne.wait_for_timeout(1_000 * (EXPIRES_SECONDS + 3.0))
    assert tickets(server)
    anne.close()
    began = time.monotonic()
    bert.wait_for_timeout(2_000)
    assert tickets(server)
    eventually(bert, lambda: not tickets(server))
    assert time.monotonic() - began < EXPIRES_SECONDS + 15.0
