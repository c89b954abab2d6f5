"""Controls that several pages draw the same way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import streamlit as st


def pick(
    label: str,
    titles: Mapping[str, str],
    key: str,
    help_text: str,
    on_change: Callable[[], None] | Literal["rerun"] = "rerun",
) -> str:
    """A drop-down over titles that answers with the key behind the title."""
    found: str | None = st.selectbox(
        label,
        list(titles),
        format_func=titles.__getitem__,
        key=key,
        help=help_text,
        on_change=on_change,
        bind="query-params",
    )
    return found or next(iter(titles))
