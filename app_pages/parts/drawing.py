"""How a figure stands on a page: with alternative text, its sentence under it, and its ground."""

from __future__ import annotations

import streamlit as st

from dpcore.figures.drawn import Drawn


def plot(drawn: Drawn, key: str) -> None:
    """A figure with its alternative text, and its sentence under it."""
    st.plotly_chart(
        drawn.figure,
        key=key,
        alt=drawn.alt,
        config={
            "displaylogo": False,
            "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
        },
    )
    st.markdown(drawn.sentence)


def on_dark() -> bool:
    """Whether the page is shown on a dark ground."""
    return bool(st.context.theme.type == "dark")
