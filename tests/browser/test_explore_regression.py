"""Explore with a number to predict, in a real browser: words, figures and the way there."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.barriers import expect_no_barrier
from tests.browser.test_explore import choose, opened, settled
from tests.browser.waiting import expect_alternative_texts, expect_whole

pytestmark = pytest.mark.slow("drives a browser")

LINK = "?data=Diabetes+progression&number_methods=OPERA&number_methods=AdaSSP&view=Best+method"


def test_diabetes_is_told_in_errors_and_the_way_back_in_accuracy(watched, address):
    page = opened(watched, address, LINK)
    expect(page.get_by_text("Diabetes progression · 442 patients")).to_be_visible()
    labels = page.get_by_test_id("stMetricLabel")
    expect(labels).to_have_text([re.compile(name) for name in ("RMSE", "R²", "right guesses")])
    expect(page.get_by_text(re.compile(r"At ε = 1 the best .* \(RMSE\);"))).to_be_visible()
    expect(page.get_by_role("radio", name="Per 1,000")).to_have_count(0)
    expect(page.get_by_text("Best by mean RMSE among the proved methods")).to_be_visible()
    settled(page)
    expect_alternative_texts(page, 2)
    expect_whole(page, 1280)
    expect_no_barrier(page)

    choose(page, "Data", "Breast cancer (Wisconsin)")
    expect(labels.first).to_have_text(re.compile("Accuracy"))
    expect(page.get_by_role("radio", name="Per 1,000")).to_be_visible()
    settled(page)
