"""Two browsers with the same training: it ends with the last, also where nobody presses Stop.

Who stops, leaves or goes on is tested without a browser, in `tests/pages/test_shared_jobs.py`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from dpcore.evaluation import watchers
from tests.browser.server import Server, running
from tests.browser.test_explore import DRAWN
from tests.browser.waiting import PATIENCE, eventually

pytestmark = pytest.mark.browser

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
