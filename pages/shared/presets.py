"""Draw presets: a drop-down that sets many controls at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages.shared.session import control_text, set_controls, store, stored


def start_from(
    key: str,
    titles: Mapping[str, str],
    matching: str | None,
    load: Callable[[str], None],
    *,
    placeholder: str,
    help: str,
) -> None:
    """Draw the drop-down, which shows the preset that the controls match."""

    def chosen() -> None:
        choice = control_text(key)
        if choice in titles:
            load(choice)

    set_controls({key: matching})
    st.selectbox(
        "Load a paper's experiment",
        list(titles),
        index=None,
        format_func=titles.__getitem__,
        placeholder=placeholder,
        key=key,
        help=help,
        on_change=chosen,
    )


def hold(
    page: str, values: Mapping[str, object], address: Mapping[str, str | list[str]] | None = None
) -> None:
    """Set the controls of a page, and again in each run until `drawn`.

    An interrupted run of the page loses values that the browser has never seen; the old ones would
    return with the next event. It may interrupt this, too. The browser writes changes into the
    address, but not the first value of a control that comes: that is what `address` holds.
    """
    store(f"{page} preset", (values, address or {}))
    apply_stored(page)


def apply_stored(page: str) -> None:
    """Set the controls to the stored values; call this before they are drawn."""
    values, address = stored(f"{page} preset") or ({}, {})
    set_controls(
        {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
    )
    for key in address:
        if key not in st.query_params:
            # A control that is drawn writes its part of the address itself, and lets nobody else.
            with suppress(StreamlitAPIException):
                st.query_params[key] = address[key]


def drawn(page: str) -> None:
    """Note that the controls have reached the browser; from now on the reader sets them."""
    store(f"{page} preset", None)
