"""What every page opens with: its answer above the fold, in few words, for every reader."""

from __future__ import annotations

from typing import Literal, NamedTuple

import pytest
from playwright.sync_api import expect

from tests.browser.barriers import expect_no_barrier
from tests.browser.sight import in_sight, share_above_the_fold
from tests.browser.waiting import PATIENCE, expect_whole, idle, wear

pytestmark = pytest.mark.slow("drives a browser")


class Opened(NamedTuple):
    """A page, what is drawn first, how much of it may be in sight, and what has to be."""

    path: str
    words: int = 150
    controls: int = 8
    chart: bool = True
    # With every ε its δ, adjacency and accountant.
    beside: str = ""


class Window(NamedTuple):
    """A window, how much of the first chart must be above its fold, and how the page comes there.

    Loaded anew, it shows or hides the sidebar by the width at which it opens. Without themes it is
    not: with two it opens in the first, and the reader's machine then changes to the other.
    """

    width: int
    height: int
    share: float
    themes: tuple[Literal["light", "dark"], ...]


PAGES = (
    # The field of ε and the cursor in the chart are one.
    Opened("", words=120, controls=5, beside="δ = 10⁻⁵ · zero-out · "),
    Opened("plan"),
    Opened("plan?question=One+run", words=120, beside="δ = 10⁻⁵ · zero-out"),
    Opened("plan?question=One+run&solve=Noise", words=120),
    Opened("plan?question=Noise+of+a+release", words=130),
    Opened("describe", beside="δ = 10⁻⁶ · zero-out · Gaussian DP"),
    Opened("train?passes=2&units=8&repeats=1"),
    # It opens with the verdicts that matter, and the chart after them.
    Opened("atlas", words=120, chart=False),
    Opened("learn?lesson=6"),
    # Five steps, and no chart.
    Opened("release", chart=False, beside="(δ = 10⁻⁵, zero-out, Gaussian DP)"),
    Opened("ledger"),
)
FIRST = ".js-plotly-plot .trace path, [class*=st-key-release_step_5], .picture .line"
# At 200 %, a window of 1280 x 800 is half as wide and as high. Its sidebar is that of 390.
WINDOWS = (
    Window(1280, 800, 1.0, ("light", "dark")),
    Window(390, 844, 0.5, ("dark", "light")),
    Window(640, 400, 0.0, ()),
)


@pytest.mark.parametrize("opened", PAGES, ids=lambda opened: opened.path or "explore")
def test_a_page_opens_with_its_answer_in_few_words_with_few_controls(watched, address, opened):
    page = watched.page
    wrong = []
    for width, height, share, themes in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        if themes:
            page.emulate_media(color_scheme=themes[0])
            page.goto(f"{address}/{opened.path}")
        drawn(page)
        expect_whole(page, width)
        where = f"{width} x {height}"
        if opened.chart and (seen := share_above_the_fold(page)) < share:
            wrong.append(f"{where}: {seen:.0%} of the chart is above the fold")
        if themes and opened.beside:
            beside = page.get_by_text(opened.beside).filter(visible=True)
            expect(beside.first).to_be_visible()
            if all(one.bounding_box()["y"] > height for one in beside.all()):
                wrong.append(f"{where}: “{opened.beside}” is below the fold")
        words, controls = in_sight(page)
        if len(words) > opened.words:
            wrong.append(f"{where}: {len(words)} words: {' '.join(words)}")
        if len(controls) > opened.controls:
            wrong.append(f"{where}: {len(controls)} controls: {controls}")
        for theme in themes:
            wear(page, theme)
            expect_whole(page, width)
            expect_no_barrier(page)
    assert wrong == [], "\n".join(wrong)


def drawn(page):
    """Wait until the page's first chart, or its last step, is drawn, and nothing is to come."""
    page.locator(FIRST).first.wait_for(state="attached")
    # Explore's methods, where no test before has waited for them: a minute of a busy processor.
    expect(page.get_by_role("progressbar")).to_have_count(0, timeout=3 * PATIENCE)
    idle(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
