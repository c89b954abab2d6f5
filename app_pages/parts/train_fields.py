"""Train's fields: each begins with the value of the first settings and stands in the link."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from app_pages.parts.train_presets import FIRST


def whole(label: str, least: int, most: int, key: str, help_text: str) -> int:
    """A whole number."""
    return st.number_input(
        label, least, most, getattr(FIRST, key), key=key, bind="query-params", help=help_text
    )


def number(
    label: str, limits: tuple[float, float], key: str, help_text: str, *, step: float
) -> float:
    """Any number within limits."""
    return st.number_input(
        label,
        *limits,
        getattr(FIRST, key),
        step=step,
        format="%.6g",
        key=key,
        bind="query-params",
        help=help_text,
    )


def switch(label: str, found: Mapping[str, str], key: str, help_text: str) -> str:
    """A choice of few, all in sight, that answers with the key behind the title."""
    first = getattr(FIRST, key)
    picked: str | None = st.segmented_control(
        label,
        list(found),
        format_func=found.__getitem__,
        default=first,
        required=True,
        key=key,
        help=help_text,
        bind="query-params",
    )
    return picked or first
