"""Explore in a real browser: what is seen, heard by a screen reader, and sent over the network."""

from __future__ import annotations

import csv
import re

import pytest
from playwright.sync_api import expect

from dpcore.controls.explore import TABS
from dpcore.figures.overview import LEFT, RIGHT
from tests.browser.barriers import expect_no_barrier
from tests.browser.waiting import (
    eventually,
    expect_alternative_texts,
    expect_whole,
    hand_over,
    idle,
    look_closer,
    photograph,
    resize,
    still_numbers,
    wait_until,
)

pytestmark = pytest.mark.slow("drives a browser")

DRAWN = ".js-plotly-plot .scatterlayer .trace path"
BREAST = "data=Breast+cancer+(Wisconsin)"
# In closed form: nothing that this test or the next has to wait for is trained in the background.
CHEAP = "methods=OPERA&focus=OPERA"


def settled(page):
    """Wait until the script has run and no fragment is running."""
    page.wait_for_selector(DRAWN, state="attached")
    idle(page)


def opened(watched, address, link=""):
    watched.page.goto(f"{address}/{link}")
    settled(watched.page)
    return watched.page


def accuracy(page):
    return page.get_by_test_id("stMetricValue").first.inner_text()


def numbers(page):
    return page.get_by_test_id("stMetricValue").all_inner_texts()


def expect_change(page, before):
    wait_until(
        page,
        """before => {
          const now = [...document.querySelectorAll('[data-testid=stMetricValue]')]
            .map((element) => element.innerText);
          return now.length === before.length && now.join() !== before.join();
        }""",
        arg=before,
    )


def test_first_view_and_epsilon_by_keyboard_changes_numbers_and_address(watched, address):
    page = opened(watched, address)
    expect(page).to_have_title("What does it cost? · Epsilon Explorer")
    expect(page.locator("h1")).to_have_text("What does privacy cost?")
    expect(
        page.get_by_text("Synthetic clinical cohort · 3,000 made-up patients · ")
    ).to_be_visible()
    expect(page.get_by_test_id("stMetricValue")).to_have_count(3)
    # Which method is best, and so what stands beside its guesses, may change while others train.
    other = r"\d+ with .+, .+ points worse; "
    beside = rf"on whether you are in the data; ({other})?50 by chance"
    expect(page.get_by_text(re.compile(beside))).to_be_visible()
    before = still_numbers(page)
    page.get_by_role("slider", name="Privacy loss ε").focus()
    page.keyboard.press("ArrowLeft")
    expect_change(page, before)
    expect(page).to_have_url(re.compile(r"epsilon=0\.7"))
    expect(
        page.get_by_text(re.compile("^At ε = 0.7 the best proved model .*is right for "))
    ).to_be_visible()
    expect(page.get_by_role("spinbutton", name="Privacy loss ε")).to_have_value("0.7")
    expect(page.get_by_role("heading", name="What ε = 0.7 means for one person")).to_be_visible()


def axis(page):
    """Both ends of the main chart's axis of ε, as powers of ten."""
    ends: list[float] = page.locator(".js-plotly-plot").first.evaluate(
        "figure => figure._fullLayout ? [...figure._fullLayout.xaxis.range] : []"
    )
    return ends


def test_the_main_chart_stays_under_its_slider(watched, address):
    page = opened(watched, address, f"?{CHEAP}&{BREAST}")
    eventually(page, lambda: bool(axis(page)))
    whole = axis(page)
    box = page.locator(".js-plotly-plot").first.bounding_box()
    assert box is not None
    for side, margin in (("left", LEFT), ("right", RIGHT)):
        expect(page.locator(".st-key-epsilon_slider")).to_have_css(f"padding-{side}", f"{margin}px")
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.4 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.8 * box["width"], middle, steps=5)
    page.mouse.up()
    before = still_numbers(page)
    page.get_by_role("slider", name="Privacy loss ε").focus()
    page.keyboard.press("ArrowLeft")
    expect_change(page, before)
    settled(page)
    eventually(page, lambda: axis(page) == whole)
    # A decimal comma is no comma between thousands, and what is out of range says so.
    field = page.get_by_role("spinbutton", name="Privacy loss ε")
    field.press("Control+a")
    page.keyboard.type("0,5")
    expect(field).to_have_value("0.5")
    field.press("Control+a")
    page.keyboard.type("0")
    field.press("Enter")
    refusal = page.get_by_text("Please enter a value between 0.001 and 100.")
    expect(refusal).to_be_visible()
    assert refusal.bounding_box()["height"] > 15  # type: ignore[index]
    # A machine that goes dark has the chart drawn in that theme's letters, and all else as it was.
    letters, address_before = page.locator(".js-plotly-plot .annotation-text").first, page.url
    expect(letters).to_have_css("fill", "rgb(86, 97, 109)")
    page.emulate_media(color_scheme="dark")
    expect(letters).to_have_css("fill", "rgb(230, 234, 241)")
    assert page.url == address_before


def test_doors_take_the_state_along_and_so_do_back_and_forward(watched, address):
    unit = "adjacency=One+record+replaced"
    page = opened(watched, address, f"?{CHEAP}&{BREAST}&epsilon=3&delta=1e-6&{unit}")
    slider = page.get_by_role("slider", name="Privacy loss ε")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("epsilon=5"))
    settled(page)

    def at(path, *settings):
        for setting in settings:
            expect(page).to_have_url(re.compile(rf"/{path}\?.*{setting}"))
        idle(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)

    explore = ("", "epsilon=5", "delta=1e-6", "adjacency=One", "data=Breast")
    train = ("train", "target_epsilon=5", "train_delta=1e-6", "person=One", "dataset=Breast")
    doors = page.locator(".st-key-doors")
    doors.get_by_role("link", name="Train").click()
    at(*train)
    kept = doors.get_by_role("link", name="Learn").element_handle()
    size = page.get_by_role("spinbutton", name="Batch size")
    size.fill("64")
    size.press("Enter")
    expect(page).to_have_url(re.compile("lot=64"))
    idle(page)
    assert kept.is_visible()  # A press that lasts longer than a run still reaches its link.
    page.go_back()
    at(*explore)
    page.go_forward()
    at(*train)
    doors.get_by_role("link", name="What does it cost?").click()
    at(*explore)
    settled(page)
    expect(page.get_by_text("At ε = 5 OPERA is right for")).to_be_visible()
    expect(page.get_by_text("Breast cancer (Wisconsin) · 569 patients")).to_be_visible()


def choose(page, label, option):
    box = page.get_by_role("combobox", name=label, exact=True)
    wanted = page.get_by_role("option", name=option, exact=True)

    def unfolded():
        # A list closes when what it stands in is scrolled, which the first click may bring about.
        if not wanted.is_visible():
            box.click()
            page.wait_for_timeout(500)
        return wanted.is_visible()

    eventually(page, unfolded)
    wanted.click()


def test_sliders_drop_downs_and_switches_change_the_address_and_the_numbers(watched, address):
    # A δ that the link names, and sliders moved by key, stand in the address.
    page = opened(watched, address, f"?{CHEAP}&delta=1e-5&expert=true")
    expect(page).to_have_url(re.compile("delta_way=My"))
    for name in ("δ", "Runs"):
        at = page.url
        page.get_by_role("slider", name=name).focus()
        page.keyboard.press("ArrowRight")
        wait_until(page, "before => location.href !== before", arg=at)
        settled(page)
    before = still_numbers(page)
    for label, option, written in (
        ("Data", "Breast cancer (Wisconsin)", "data=Breast"),
        ("What counts as one person's data", "One record replaced", "adjacency=One"),
    ):
        choose(page, label, option)
        expect_change(page, before)
        expect(page).to_have_url(re.compile(written))
        before = still_numbers(page)
    page.get_by_role("radio", name="0.001", exact=True).click()
    expect_change(page, before)
    expect(page).to_have_url(re.compile("lambda="))


def test_a_papers_settings_are_in_the_address_and_found_again(watched, address):
    page = opened(watched, address, f"?{CHEAP}")
    chosen = page.get_by_role("combobox", name="Load a paper's experiment")
    choose(page, "Load a paper's experiment", "Paper 002, figure 2: RMSE")
    expect(page.get_by_text("Diabetes progression · 442 patients")).to_be_visible()
    expect(page).to_have_url(re.compile("data=Diabetes"))
    expect(page).to_have_url(re.compile("number_methods=ObjPert"))
    expect(chosen).to_have_value("Paper 002, figure 2: RMSE")
    # What a paper sets is shown, also on a page loaded anew.
    expect(page).to_have_url(re.compile("expert=true"))
    page.reload()
    settled(page)
    expect(chosen).to_have_value("Paper 002, figure 2: RMSE")
    expect(page).to_have_url(re.compile(r"adjacency=One\+record\+replaced"))
    choose(page, "What counts as one person's data", "One record blanked out")
    expect(page).not_to_have_url(re.compile("adjacency="))
    expect(chosen).to_have_value("")


def test_methods_are_added_and_taken_away(watched, address):
    link = "?methods=OutPert&methods=OPERA&focus=OPERA&view=Chosen+methods&expert=true"
    page = opened(watched, address, link)
    compared = page.locator(".st-key-cost_figure .ytick")
    expect(compared).to_have_text(["OutPert", "OPERA"])  # from below: the best is on top
    page.get_by_role("button", name="OutPert", exact=True).first.click()
    expect(compared).to_have_text(["OPERA"])


def test_training_can_be_stopped_and_begun_again(watched, address):
    # Settings that no other test uses, so that nothing is in the cache yet.
    page = opened(watched, address, f"?{CHEAP}&methods=DP-GD&{BREAST}&runs=300&delta=1e-7")
    expect(page.get_by_test_id("stProgress")).to_have_count(1)
    page.get_by_role("button", name="Stop").click()
    page.get_by_text(": stopped.").wait_for()
    expect(page.get_by_test_id("stProgress")).to_have_count(0)
    # The page is usable meanwhile.
    page.get_by_role("slider", name="Privacy loss ε").focus()
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("epsilon="))
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_test_id("stProgress")).to_have_count(1)
    page.get_by_role("button", name="Stop").click()
    page.get_by_text(": stopped.").wait_for()


def test_the_table_is_downloaded_as_shown(watched, address, tmp_path):
    # What the first page shows, and so what may have been computed for other tests.
    page = opened(watched, address, f"?{CHEAP}&methods=OutPert&methods=PSGD&view=Take+along")
    # Until all is computed every run makes the file anew, and the old address is soon gone.
    page.get_by_role("button", name="Report (HTML)").wait_for()
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV").click()
    target = tmp_path / started.value.suggested_filename
    started.value.save_as(target)
    with target.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    shown = [r for r in rows if r["method"] == "opera" and r["epsilon"] == "1.0"]
    best = f"{100 * float(shown[0]['accuracy']):.1f} %"
    eventually(page, lambda: accuracy(page) == best)
    assert {"same λ, no noise", "without privacy", "outpert", "opera", "psgd"} <= {
        row["method"] for row in rows
    }
    # The report is made when it is asked for; opened from disk it asks nobody for anything.
    with page.expect_download() as started:
        page.get_by_role("button", name="Report (HTML)").click()
    assert started.value.suggested_filename == "report_cohort.html"
    report = tmp_path / "report.html"
    started.value.save_as(report)
    expect_a_report(page.context.new_page(), report.as_uri(), f"Accuracy {best}")


def expect_a_report(page, uri, accuracy):
    """A report is whole on screens and on two sheets of paper, and asks nobody for anything."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(uri)
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Synthetic clinical cohort: OPERA at ε = 1")
    expect(page.get_by_role("row", name=accuracy)).to_be_visible()
    expect(page.get_by_role("img")).to_be_visible()
    expect(page.get_by_role("listitem")).to_have_count(52)
    expect_no_barrier(page)
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))) == 2
    resize(page, 390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert asked == [uri]
    page.close()


def test_a_hostile_link_shows_a_sentence_and_no_traceback(watched, address):
    page = opened(
        watched,
        address,
        "?epsilon=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&data=none&what=ever",
    )
    warnings = page.get_by_test_id("stAlert")
    expect(warnings).to_have_count(1)
    expect(warnings.get_by_role("listitem")).to_have_count(3)
    expect(warnings.get_by_text("the data set “none”")).to_be_visible()
    expect(warnings.get_by_text("it is left out")).to_be_visible()
    wait_until(page, "location.search === ''")
    expect(page.get_by_test_id("stMetricValue")).to_have_count(3)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_streamlits_own_settings_stay_in_the_address(watched, address):
    page = opened(watched, address, "?embed=true&embed_options=light_theme&what=ever&runs=100")
    expect(page.get_by_test_id("stAlert")).to_contain_text("the setting “what”")
    for name in ("embed=true", "embed_options=light_theme", "runs=100"):
        expect(page).to_have_url(re.compile(name))
    wait_until(page, "!location.search.includes('what')")


def test_a_wrong_file_leaves_nothing_but_the_reason(watched, address):
    page = watched.page
    page.goto(f"{address}/?data=IPUMS-BR+(Brazilian+census)")
    hand_over(page, "x.csv", b"a,b\n1,2\n")
    # Streamlit leaves what stood before until the run ends: for a moment both are there.
    expect(page.get_by_test_id("stAlert").filter(has_text="lines 1 and 2")).to_be_visible()
    expect(page.get_by_test_id("stAlert")).to_have_count(1)
    named = page.get_by_test_id("stMain").get_by_text("IPUMS-BR (Brazilian census)")
    expect(named).to_be_visible()
    expect(page.get_by_test_id("stMain").get_by_role("radio")).to_have_count(0)
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(0)
    expect(page.get_by_test_id("stMetric")).to_have_count(0)


@pytest.mark.parametrize(
    ("theme", "widths"), [("light", (1280, 390)), ("dark", (390, 1280))], indirect=["theme"]
)
def test_every_tab_is_whole_and_heard(watched, address, theme, widths):
    # Every other tab is drawn at the other width, and in the other theme the others are.
    resize(watched.page, widths[0])
    page = opened(watched, address, f"?{CHEAP}&methods=OutPert")
    expect_alternative_texts(page, 2)
    photograph(page, f"explore_{theme}")
    # In the dark half of them: all are coloured in the same way.
    for tab in TABS if theme == "light" else TABS[::2]:
        look_closer(page, tab)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        for width in widths:
            resize(page, width)
            expect_whole(page, width)
            if width == 1280:
                # All but the tab stays as it is.
                expect_no_barrier(page, None if tab == TABS[0] else ".st-key-open_tab")
        widths = (widths[1], widths[0])
