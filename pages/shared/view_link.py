"""Show the link that reproduces the current view, and choose the kind of file of its pictures."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from pages.shared.charts import PICTURE, PICTURES
from pages.shared.session import store, stored

CHANGED = "pictures changed"


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
