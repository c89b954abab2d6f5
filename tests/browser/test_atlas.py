"""Atlas in a real browser: what is seen, typed and followed, and what a screen reader hears."""

import re

import pytest
from playwright.sync_api import expect

from dpcore import systems
from dpcore.accounting.presets import CLAIM
from dpcore.guarantee import Status
from tests.browser.barriers import expect_no_barrier
from tests.browser.waiting import idle

pytestmark = pytest.mark.slow("drives a browser")

SYSTEMS = systems.register()
BARS = ".js-plotly-plot .barlayer .trace path"
CURVE = ".js-plotly-plot .scatterlayer .trace path"


def opened(watched, address, link="", drawn=BARS):
    page = watched.page
    page.goto(f"{address}/atlas{link}")
    expect(page.locator(drawn).first).to_be_attached(timeout=60_000)
    idle(page)
    return page


def number(page, label):
    return (
        page.get_by_test_id("stMetric")
        .filter(has=page.get_by_text(label, exact=True))
        .get_by_test_id("stMetricValue")
    )


def count(status):
    return str([systems.standing(each).status for each in SYSTEMS.values()].count(status))


def test_the_first_view_answers_without_a_click(watched, address):
    page = opened(watched, address)
    expect(page.locator("h1")).to_have_text("Is the claim true?")
    expect(number(page, "Systems")).to_have_text(str(len(SYSTEMS)))
    refuted = number(page, "Promises too much")
    expect(refuted).to_have_text(count(Status.CLAIM_NOT_SUPPORTED))
    leaking = sum(bool(each.leaks) for each in SYSTEMS.values())
    expect(number(page, "Implementations leak")).to_have_text(str(leaking))
    # A list in which eight verdicts are seen without scrolling, that on paper 003 among them.
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.get_by_text(CLAIM)).to_be_in_viewport()
    titles = page.locator("[class*=st-key-row_] button").filter(visible=True)
    expect(titles.nth(7)).to_be_in_viewport(ratio=1.0)
    expect(page.locator(".js-plotly-plot").locator(".legendtext")).to_have_count(5)
    expect(page.locator('[aria-label^="Systems by family and status"]')).to_have_count(1)
    expect(page.get_by_text("are described only, the others ")).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_a_search_by_keyboard_stands_in_the_address(watched, address):
    page = opened(watched, address)
    box = page.get_by_role("textbox", name="Search")
    box.focus()
    page.keyboard.type("pate-gan")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"search=pate-gan"))
    expect(number(page, "Systems")).to_have_text("1")
    row = page.get_by_role("button", name=re.compile(r"^PATE-GAN \(2019\)"))
    row.press("Enter")
    expect(page.locator("h1")).to_have_text("PATE-GAN")
    expect(page).to_have_url(re.compile(r"system=PATE-GAN"))
    expect(page.get_by_text("All six audited implementations")).to_be_visible()
    page.get_by_role("button", name="All systems").press("Enter")
    expect(number(page, "Systems")).to_have_text("1")
    expect(page).not_to_have_url(re.compile("system="))


def test_a_link_shows_the_same_again(watched, address):
    page = opened(watched, address, "?paper=003+Adaptive+networks&runnable=true")
    kept = [each for each in SYSTEMS.values() if each.paper == "003" and systems.runs_here(each)]
    expect(number(page, "Systems")).to_have_text(str(len(kept)))
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    page.get_by_role("button", name="Link", exact=True).click()
    link = page.get_by_test_id("stCode").first
    expect(link).to_contain_text("paper=003")
    page.goto(link.inner_text().strip())
    expect(number(page, "Systems")).to_have_text(str(len(kept)))
    for system in kept:
        row = page.get_by_role("button", name=re.compile(rf"^{re.escape(system.title)} \("))
        expect(row).to_be_visible()


def test_a_system_leads_to_where_it_runs(watched, address):
    page = watched.page
    page.goto(f"{address}/atlas?system=grpua")
    page.get_by_role("link", name="GRPUA in Explore").click()
    expect(page).to_have_url(re.compile(r"methods=GRPUA"))
    expect(page).to_have_url(re.compile(r"edition=As\+in\+the\+paper"))
    expect(page.get_by_text("Synthetic clinical cohort · 3,000 made-up patients")).to_be_visible()
    expect(page.get_by_text("link asks for")).to_have_count(0)


def test_no_serious_barrier_where_a_model_runs(watched, address):
    expect_no_barrier(opened(watched, address, "?system=naive-bayes", CURVE))
