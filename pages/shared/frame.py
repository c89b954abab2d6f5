"""Draw what stands around every page's answer: style, title and link, and who is signed in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from dpcore.datasets import cache
from dpcore.release.roles import Actor, Role
from pages.server import requests, sign_in
from pages.shared.address import refuse_infinite_numbers
from pages.shared.display import PICTURE, PICTURES, on_dark
from pages.shared.session import store, stored
from pages.shared.verbatim import verbatim

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

ASSETS = Path(__file__).parents[2] / "assets"
CHANGED = "pictures changed"


def begin() -> None:
    """Set the page's icon, width and style, and run its scripts.

    Before the navigation, which would ask another machine for the page's icon as the tab's.
    """
    icon = str(ASSETS / "icon.svg")
    st.set_page_config(
        page_icon=icon,
        layout="wide",
        menu_items={
            "About": "Shows what privacy costs, what it buys, and whether a privacy claim is true."
        },
    )
    st.html(ASSETS / "page.css")
    if on_dark():
        st.html(ASSETS / "paper_from_dark.css")
    for script in (requests.preload_script() + _asset("decimal_comma.html"), _asset("theme.html")):
        st.html(script, unsafe_allow_javascript=True)
    st.logo(str(ASSETS / "logo.svg"), size="large", icon_image=icon)
    refuse_infinite_numbers()


def name_tab(page: StreamlitPage, every_page: Sequence[StreamlitPage]) -> None:
    """Name the browser's tab; what tells tabs and history apart comes before the page."""
    titles = {each.url_path: f"{each.title} · Epsilon Explorer" for each in every_page}
    st.html(
        f"<script>window.titlesOfPages = {json.dumps(titles)}</script>{_asset('history.html')}",
        unsafe_allow_javascript=True,
    )
    st.set_page_config(page_title=titles[page.url_path])


def _asset(name: str) -> str:
    return (ASSETS / name).read_text("utf-8")


def warn_of_cache() -> None:
    """Say where results cannot be kept."""
    if complaint := cache.complaint():
        st.warning(verbatim(complaint), icon=":material/save:")


def title(text: str) -> None:
    """Show a page's title, and the link beside it."""
    with st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
        gap="xsmall",
    ):
        st.title(text, anchor=False, width="content")
        link()


def link() -> None:
    """Show the address of this view to copy, which holds what differs from the first view.

    It is read once the box is open: what is moved in a part of the page draws that part only, and
    a link of before would open another view.
    """
    with st.container(width="content"):  # a part of a page by itself takes all the room
        _box()


@st.fragment
def _box() -> None:
    box = st.popover(
        "Link",
        icon=":material/link:",
        on_change="rerun",
        key="view_link",
    )
    if box.open:
        with box:
            _link()
    if stored(CHANGED):
        store(CHANGED, None)
        st.rerun()  # every chart has the kind of file in its button


def _link() -> None:
    base = (st.context.url or "").split("?")[0]
    settings = [
        (name, value) for name in st.query_params for value in st.query_params.get_all(name)
    ]
    st.code(f"{base}?{urlencode(settings)}" if settings else base, language=None, wrap_lines=True)
    st.caption("Opens this page with the same settings. Uploaded records are not in it.")
    st.segmented_control(
        "Save pictures as",
        PICTURES,
        default=PICTURES[0],
        required=True,
        format_func=str.upper,
        key=PICTURE,
        persist_state="session",
        help="The button under a chart saves it as this kind of file.",
        on_change=store,
        args=(CHANGED, True),
    )


def needed_visitor(role: Role) -> Actor:
    """Return the visitor, if they may do what needs the role; else say why not, and end the run."""
    person = sign_in.allowed(role)
    if isinstance(person, str):
        refuse_visitor(person)
        st.stop()
    return person


def refuse_visitor(reason: str) -> None:
    """Say why the visitor may not, with the way to sign in, or out, where there is one."""
    st.error(verbatim(reason), icon=":material/lock:")
    if sign_in.is_offered():
        if sign_in.visitor().get("is_logged_in") is True:
            st.button("Sign out", icon=":material/logout:", on_click=st.logout)
        else:
            st.button("Sign in", icon=":material/login:", type="primary", on_click=sign_in.begin)


def show_visitor(person: Actor) -> None:
    """Say in the sidebar who is signed in, with the way out; nothing where nobody signs in."""
    if person.email:
        with st.sidebar:
            st.caption(verbatim(f"{person.email}, {person.role}"))
            st.button("Sign out", icon=":material/logout:", on_click=st.logout)
