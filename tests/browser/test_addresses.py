"""What a reader sets stands in the address, and loading it anew changes nothing."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow("drives a browser")


def neighbour(page):
    return page.get_by_role("combobox", name="What counts as one person's data")


def test_a_setting_is_in_the_address_and_is_found_when_it_is_loaded_anew(address, watched):
    page = watched.page
    page.goto(f"{address}/plan?question=One+run+in+detail")
    expect(neighbour(page)).to_have_value("One record blanked out")
    size = page.get_by_role("spinbutton", name="Batch size")
    size.fill("200")
    size.press("Enter")
    expect(page).to_have_url(re.compile(r"/plan\?(?=.*\bquestion=One).*\bbatch=200\b"))
    page.reload()
    expect(size).to_have_value("200")
    expect(neighbour(page)).to_have_value("One record blanked out")
    # ε moves in a part of the page alone, and is in the address all the same.
    page.goto(f"{address}/")
    slider = page.get_by_role("slider", name="Privacy loss ε")
    slider.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"/\?epsilon=1.5$"))
