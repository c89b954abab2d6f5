"""A training ends with the last browser that waits for it, also where nobody presses Stop.

Who stops, leaves or goes on is tested without a browser, in `tests/pages/test_shared_jobs.py`.
"""

import time

import pytest

from tests.browser.conftest import EXPIRES_SECONDS
from tests.browser.waiting import DRAWN, eventually

pytestmark = pytest.mark.slow("drives a browser")

LINK = "train?passes=999&repeats=30&schedule=Constant"


def tickets(server):
    """Of the jobs that wait or run."""
    return {path.stem for path in (server.cache / "jobs").glob("*.job")}


@pytest.mark.flaky(reruns=1, reason="measures time: the server may be held up")
def test_a_browser_that_is_closed_ends_what_only_it_waited_for(tab, hasty):
    server = hasty.server
    page = tab.context.new_page()
    page.goto(f"{server.address}/{LINK}")
    page.wait_for_selector(DRAWN, state="attached")
    page.locator(".st-key-train_start button").click()
    page.locator(".st-key-train_stop button").wait_for()
    eventually(page, lambda: bool(tickets(server)))
    # Loaded anew, the page waits for it again.
    page.reload()
    page.locator(".st-key-train_stop button").wait_for()
    page.wait_for_timeout(1_000 * (EXPIRES_SECONDS + 3.0))
    assert tickets(server)
    page.close()
    began = time.monotonic()
    tab.wait_for_timeout(2_000)
    assert tickets(server)
    eventually(tab, lambda: not tickets(server))
    assert time.monotonic() - began < EXPIRES_SECONDS + 15.0
