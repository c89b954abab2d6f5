"""One press of Back leads to the page before, with its settings, and one of Forward to the next."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watched
from tests.browser.waiting import idle

pytestmark = pytest.mark.browser
FIRST = "?v=3&data=Breast+cancer+(Wisconsin)&methods=OPERA&focus=OPERA&epsilon=5"
DOORS = {
    "What does it cost?": r"/\?(?=.*data=Breast)(?=.*epsilon=5)(?=.*focus=OPERA)",
    "What can I afford?": r"/plan(\?|$)",
    "Is it true?": r"/atlas(\?|$)",
    "Train": r"/train\?(?=.*dataset=Breast)(?=.*target_epsilon=5)",
    "Learn": r"/learn(\?|$)",
}


def test_each_page_is_one_step_back_and_forward(watched: Watched, address: str) -> None:
    page = watched.page
    page.goto(f"{address}/{FIRST}")
    doors, visited = page.get_by_test_id("stSidebar"), []

    def expect_at(name: str) -> None:
        expect(page).to_have_url(re.compile(f"{re.escape(address)}{DOORS[name]}"))
        expect(doors.get_by_role("link", name=name, exact=True)).to_be_visible()
        idle(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        expect(page.get_by_test_id("stAlert")).to_have_count(0)

    for name in DOORS:
        if name in ("Is it true?", "Learn"):  # reached by the keyboard
            doors.get_by_role("link", name=name, exact=True).press("Enter")
        elif visited:
            doors.get_by_role("link", name=name, exact=True).click()
        expect_at(name)
        page.wait_for_timeout(500)  # what the page writes late is a step of its own no more
        visited.append((name, page.evaluate("location.href")))
    for name, link in reversed(visited[:-1]):
        page.go_back()
        expect_at(name)
        assert page.evaluate("location.href") == link
    for name, link in visited[1:]:
        page.go_forward()
        expect_at(name)
        assert page.evaluate("location.href") == link
