"""A survey's model in a real browser: many records in the background, another setting, its link."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow("drives a browser")

CURVE = '[aria-label^="Decision tree: accuracy on test records against ε"]'
SECONDS = 90_000


def test_a_curve_comes_by_itself_and_another_setting_stands_in_the_address(watched, address):
    page = watched.page
    link = "system=friedman-schuster-tree&run_data=Synthetic+clinical+cohort&run_runs=5"
    page.goto(f"{address}/atlas?{link}")
    expect(page.locator(CURVE)).to_have_count(1, timeout=SECONDS)
    answer = page.get_by_text(re.compile("Accuracy on test records at ε = 1: .* without noise"))
    expect(answer).to_be_visible()
    expect(page.get_by_text("Means over 5 runs")).to_be_visible()
    page.get_by_role("combobox", name=re.compile("Runs")).click()
    page.get_by_role("option", name="10", exact=True).click()
    expect(page).to_have_url(re.compile(r"run_runs=10"))
    expect(page.get_by_text("Means over 10 runs")).to_be_visible(timeout=SECONDS)
    expect(page.locator(CURVE)).to_have_count(1)
    expect(page.get_by_test_id("stException")).to_have_count(0)
