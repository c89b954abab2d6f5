"""Train in a real browser: a short run to its end, a long one stopped, barriers, widths."""

import csv
import re

import pytest
from playwright.sync_api import expect

from tests.browser.barriers import expect_no_barrier
from tests.browser.sight import in_sight, share_above_the_fold
from tests.browser.test_explore import DRAWN
from tests.browser.waiting import (
    eventually,
    expect_alternative_texts,
    idle,
    still_numbers,
)

pytestmark = pytest.mark.slow("drives a browser")

SHORT = "?passes=2&units=8&repeats=2"
LONG = "?passes=1000&repeats=30&schedule=Constant"


def opened(watched, address, link):
    watched.page.goto(f"{address}/train{link}")
    watched.page.wait_for_selector(DRAWN, state="attached")
    return watched.page


def trained(page):
    page.get_by_text("Trained.").wait_for()
    idle(page)
    page.wait_for_timeout(500)


def number(page, label):
    metric = page.get_by_test_id("stMetric").filter(has_text=label).first
    return metric.get_by_test_id("stMetricValue").inner_text()


def test_a_short_run_is_watched_to_its_end(watched, address, tmp_path):
    page = opened(watched, address, SHORT)
    # The noise and the certified ε are there before anything is trained.
    eventually(page, lambda: number(page, "Certified ε") == "3")
    trained(page)
    eventually(page, lambda: bool(re.fullmatch(r"\d+\.\d %", number(page, "Accuracy"))))
    assert re.fullmatch(r"[+−]?\d+\.\d", number(page, "Lost to privacy"))
    expect_alternative_texts(page, 5, or_more=True)
    expect_no_barrier(page)
    legend = page.locator(".js-plotly-plot").first.locator(".legendtext")
    names = {"your settings", "constant σ", "no privacy", "clipping only"}
    eventually(page, lambda: set(legend.all_text_contents()) == names)
    page.get_by_role("tab", name="Numbers").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV").filter(visible=True).last.click()
    target = tmp_path / started.value.suggested_filename
    started.value.save_as(target)
    with target.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    ends = [
        float(row["accuracy_test"])
        for row in rows
        if row["series"] == "private" and row["epoch"] == "2"
    ]
    assert len(ends) == 2
    end = f"{100 * sum(ends) / 2:.1f} %"
    eventually(page, lambda: number(page, "Accuracy") == end)
    # Loaded anew, the page finds its results by the link.
    before = still_numbers(page)
    page.reload()
    trained(page)
    expect(page.get_by_test_id("stMetricValue")).to_have_text(before)


def test_a_long_run_is_started_watched_and_stopped(watched, address):
    page = opened(watched, address, LONG)
    page.get_by_text(re.compile(r"Press Start \(about")).wait_for()
    idle(page)
    words, controls = in_sight(page)
    assert len(words) <= 150, " ".join(words)
    assert len(controls) <= 8, controls
    assert share_above_the_fold(page) == 1.0
    # Also “Go on”, where an attempt before this one was cut off.
    page.locator(".st-key-train_start button").click()
    page.get_by_text(re.compile("After epoch .* of 1,000")).first.wait_for()
    # While a script runs, the browser part has a Stop of its own.
    page.locator(".st-key-train_stop button").click()
    expect(page.get_by_text("Stopped. What was learned before is shown.")).to_be_visible()
    expect(page.get_by_text("stopped in epoch")).to_be_visible()
    eventually(page, lambda: float(number(page, "Certified ε")) < 3.0)
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_the_effect_of_a_setting_is_trained_when_asked_for(watched, address, tmp_path):
    view = "&train_view=Effect+of+a+setting&effect=clipping+norm+C"
    page = opened(watched, address, SHORT + view)
    page.get_by_role("button", name="Train with each value").click()
    page.get_by_text("of 5 values is").wait_for()
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV").filter(visible=True).last.click()
    target = tmp_path / started.value.suggested_filename
    started.value.save_as(target)
    with target.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert [float(row["value"]) for row in rows] == [0.25, 0.5, 1.0, 2.0, 4.0]
    assert all(2.9 < float(row["epsilon"]) <= 3.0 for row in rows)
    # Found again from the link, and behind each chart lies its table.
    page.reload()
    page.get_by_text("of 5 values is").wait_for()
    trained(page)
    page.get_by_role("button", name="Table and CSV").first.click()
    expect(page.get_by_test_id("stPopoverBody").get_by_test_id("stDownloadButton")).to_be_visible()
