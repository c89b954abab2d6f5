"""Release in a real browser: from the first step to files, on a wide and on a narrow screen."""

import re

import pytest
from playwright.sync_api import expect

from dpcore.release.check import check
from tests.browser.barriers import expect_no_barrier
from tests.browser.waiting import eventually, expect_whole, idle, photograph

pytestmark = pytest.mark.slow("drives a browser")


def row(page, number):
    """What stands beside a step, whose row may hold another one."""
    return page.locator(f"[class*=st-key-release_step_{number}] summary").first.inner_text()


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)], indirect=["theme"])
def test_the_demonstration_leads_from_the_first_step_to_files(watched, address, width):
    page = watched.page
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{address}/release")
    button = page.get_by_role("button", name="Release", exact=True)
    expect(button).to_be_visible()
    idle(page)
    assert [row(page, number).count("done: ") for number in range(1, 6)] == [
        1,
        1,
        0,
        1,
        0,
    ]  # look is optional
    expect_whole(page, width)
    page.emulate_media(media="print")
    for number in range(1, 6):
        expect(page.locator(f"[class*=st-key-release_step_{number}] summary")).to_be_visible()
    page.emulate_media(media="screen")
    button.dblclick()
    file = page.get_by_role("button", name="Certificate (YAML)")
    expect(file).to_be_visible()
    idle(page)
    assert "done: paid by entry 3 of the ledger" in row(page, 5)
    expect(page.get_by_text(re.compile("ε = 2 of 3 is left")).last).to_be_visible()
    with page.expect_download() as saved:
        file.click()
    assert check(saved.value.path().read_text("utf-8")).problems == ()
    for number in range(1, 5):
        page.locator(f"[class*=st-key-release_step_{number}] summary").click()
    page.get_by_text("At a private twin").click()
    page.get_by_role("button", name="Make the twin").click()
    expect(page.get_by_role("button", name="Twin (CSV)")).to_be_visible()
    idle(page)
    # The page is drawn anew once more after the twin's files are there.
    made = "done: at a private twin, paid by entry 5 of the ledger"
    eventually(page, lambda: made in row(page, 3))
    idle(page)
    expect_whole(page, width)
    expect_no_barrier(page)
    photograph(page, "release")
