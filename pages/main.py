"""Run what every session needs: page config and navigation, nothing else."""

import json
from pathlib import Path

import streamlit as st

from dpcore.datasets import cache
from pages.shared import finite_numbers, page_links, preload, session_end, texts
from pages.shared.charts import on_dark
from pages.shared.verbatim import verbatim

FIRST = page_links.PAGE_LINKS[0]
ASSETS = Path(__file__).parents[1] / "assets"

session_end.watch_session()

# Before the navigation, which would ask another machine for the page's icon as the tab's.
st.set_page_config(
    page_icon=str(ASSETS / "icon.svg"),
    layout="wide",
    menu_items={
        "About": "Shows what privacy costs, what it buys, and whether a privacy claim is true."
    },
)

st.html(ASSETS / "page.css")
if on_dark():
    st.html(ASSETS / "paper_from_dark.css")
scripts = [(ASSETS / f"{name}.html").read_text("utf-8") for name in ("decimal_comma", "theme")]
for script in (preload.script() + scripts[0], scripts[1]):
    st.html(script, unsafe_allow_javascript=True)
st.logo(str(ASSETS / "logo.svg"), size="large", icon_image=str(ASSETS / "icon.svg"))
every_page = [
    *(
        st.Page(
            link.script,
            title=link.question,
            icon=link.icon,
            url_path="start" if link is FIRST else None,
            default=link is FIRST,
            help=link.help,
        )
        for link in page_links.PAGE_LINKS
    ),
    # The first page's address is "/"; its name leads there too, instead of to "Page not found".
    st.Page(FIRST.script, title=FIRST.question, url_path="explore"),
    # Reached from a release, and by their addresses.
    st.Page("predict/predict.py", title=texts.PREDICT, url_path="predict"),
    st.Page("ledger/ledger.py", title=texts.LEDGER, url_path="ledger"),
]
page = st.navigation(every_page, position="hidden")
titles = {each.url_path: f"{each.title} · Epsilon Explorer" for each in every_page}
st.html(
    f"<script>window.titlesOfPages = {json.dumps(titles)}</script>"
    + (ASSETS / "history.html").read_text("utf-8"),
    unsafe_allow_javascript=True,
)
# What tells a browser's tabs and its history apart comes first.
st.set_page_config(page_title=titles[page.url_path])
finite_numbers.refuse()
page_links.open_page(page.title)
complaint = cache.complaint()
if complaint:
    st.warning(verbatim(complaint), icon=":material/save:")
page.run()
page_links.close_page()
