"""Text of strangers in a real browser: shown letter by letter, and never a link."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.server import ROOT, served
from tests.browser.test_explore import CHEAP
from tests.browser.waiting import answered, hand_over, idle
from tests.hostile import TEXTS
from tests.pages.test_explore_own import file
from tests.pages.test_hostile_text import HOSTILE

pytestmark = pytest.mark.slow("drives a browser")

SCRIPT = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import plotly.graph_objects as go
import streamlit as st
from pages.shared.verbatim import refuse, verbatim
from dpcore.figures.escape import literal
from tests.hostile import TEXTS
for text in TEXTS:
    st.markdown(verbatim(text))
for text in TEXTS:
    refuse(text)
st.metric(verbatim(TEXTS[0]), "1")
figure = go.Figure()
for place, text in enumerate(TEXTS):
    figure.add_annotation(x=0, y=place, text=literal(text), showarrow=False)
figure.update_layout(height=40 * len(TEXTS), yaxis_range=[-1, len(TEXTS)])
figure.update_xaxes(title=literal("<a href='https://evil.example'>x</a>"))
st.plotly_chart(figure)
"""
# Streamlit itself writes an underscore here, wherever it stands.
SHOWN = tuple(text.replace(":material/", ":material_") for text in TEXTS)


def links_away(page):
    """Where links and pictures in text and figures lead, but for the doors to other pages."""
    result: list[str] = page.evaluate(
        """() => [...document.querySelectorAll('a, img, image')].map(
             e => e.getAttribute('href') || e.getAttribute('xlink:href') || e.src || '')
           .filter(to => /evil|mailto/.test(to) && !/^[a-z]*\\?/.test(to))"""
    )
    return result


def test_every_text_is_shown_letter_by_letter_and_leads_nowhere(watched, tmp_path):
    script = tmp_path / "texts.py"
    script.write_text(SCRIPT, encoding="utf-8")
    with served(str(script)) as address:
        page = watched.page
        page.goto(address)
        expect(page.get_by_test_id("stPlotlyChart").locator(".annotation")).to_have_count(
            len(TEXTS)
        )
        expect(page.get_by_test_id("stException")).to_have_count(0)
        said = tuple(" ".join(text.split()) for text in SHOWN)
        for kind in ("stMarkdown", "stAlert"):
            told = page.get_by_test_id(kind).get_by_test_id("stMarkdownContainer")
            assert tuple(told.all_inner_texts()) == said
        assert tuple(page.locator(".annotation text").all_text_contents()) == TEXTS
        assert links_away(page) == []
        page.goto("about:blank")


def test_a_link_and_a_description_put_no_link_on_the_page(watched, address):
    page = watched.page
    page.goto(f"{address}/?data=https://evil.example/login&loss=www.evil.example&{CHEAP}")
    expect(page.get_by_text("https://evil.example/login")).to_be_visible()
    idle(page)
    assert links_away(page) == []

    page.goto(
        f"{address}/?data=Your+own+table&number_methods=OPERA&focus=OPERA&view=Chosen+methods"
    )
    expect(page.get_by_text("never from these records").first).to_be_visible()
    data = file().replace(b",age,", b",www.evil.example,")
    hand_over(page, "www.evil.example.csv", data.replace(b",progression,", b",www.evil.example/p,"))
    expect(page.get_by_text("www.evil.example.csv").first).to_be_visible()
    idle(page)
    described = page.get_by_role("textbox", name="Its columns")
    described.fill(HOSTILE)
    described.press("Control+Enter")
    answered(page)
    expect(page.locator(".picture dt").first).to_have_text("RMSE")
    axis = page.locator(".st-key-cost_figure .xtitle")
    expect(axis).to_contain_text("<a href='//evil.example/u'>_years_</a>")
    assert links_away(page) == []


def test_an_endless_number_is_refused_also_when_the_reader_goes_back(watched, address):
    page = watched.page
    page.goto(f"{address}/plan?records=inf")
    expect(page.get_by_text("but it must be a number from 1 to")).to_be_visible()
    idle(page)
    page.evaluate("() => { history.pushState({}, '', '/plan?records=5000&batch=1e999'); }")
    page.evaluate("() => { history.pushState({}, '', '/plan?records=6000'); }")
    page.go_back()
    page.wait_for_timeout(500)
    idle(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_test_id("stMetricValue").first).to_be_visible()
