"""Train in a real browser: a short run to its end, without barriers, found again by its link."""

import csv

import pytest
from playwright.sync_api import expect

from tests.browser.barriers import expect_no_barrier
from tests.browser.waiting import DRAWN, eventually, expect_alternative_texts, idle, still_numbers

pytestmark = pytest.mark.slow("drives a browser")


def trained(page):
    page.get_by_text("Trained.").wait_for()
    idle(page)
    page.wait_for_timeout(500)


def test_a_short_run_is_watched_to_its_end(watched, address, tmp_path):
    page = watched.page
    page.goto(f"{address}/train?passes=2&units=8&repeats=2")
    page.wait_for_selector(DRAWN, state="attached")
    trained(page)
    expect_alternative_texts(page, 5, or_more=True)
    expect_no_barrier(page)
    page.get_by_role("tab", name="Numbers").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV").filter(visible=True).last.click()
    target = tmp_path / started.value.suggested_filename
    started.value.save_as(target)
    with target.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    private = [row for row in rows if row["series"] == "private" and row["epoch"] == "2"]
    assert len(private) == 2
    end = f"{50 * sum(float(row['accuracy_test']) for row in private):.1f} %"
    accuracy = page.get_by_test_id("stMetric").filter(has_text="Accuracy").first
    number = accuracy.get_by_test_id("stMetricValue")
    eventually(page, lambda: number.inner_text() == end)
    # Loaded anew, the page finds its results by the link.
    before = still_numbers(page)
    page.reload()
    trained(page)
    expect(page.get_by_test_id("stMetricValue")).to_have_text(before)
