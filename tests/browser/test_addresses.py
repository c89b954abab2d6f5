"""The addresses under which the page is found, each as the first request to a fresh server."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.server import served

pytestmark = pytest.mark.browser


def test_a_fresh_server_answers_the_page_by_its_name(context: BrowserContext) -> None:
    with served() as address:
        page = context.new_page()
        page.goto(f"{address}/explore?loss=Huber+SVM")
        expect(page).to_have_title(re.compile("^Epsilon Explorer"))
        expect(page.locator("h1")).to_contain_text("Huber SVM")
        expect(page.get_by_test_id("stSidebarLogo")).to_be_visible()
        # What runs is main.py with its own navigation, not a folder that Streamlit found by itself.
        expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        page.close()
