"""Have the browser load and run the code of charts while the page is computed.

Every page opens with a chart, Explore with one of our own. Streamlit's browser part asks for the
code of either only when the first one has arrived; Plotly's, its largest file, then runs for as
long as half a page takes.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import streamlit as st

CHART_CODE, PICTURE_CODE = "PlotlyChart.*.js", "BidiComponent.*.js"
PICTURE_FIRST = ("/", "/explore")
"""Ends of the paths of pages that open with a picture: its code is a hundredth of Plotly's."""
LATER = 3_000
"""Milliseconds after which such a page loads Plotly, for its tabs."""


def link(path: str) -> str:
    """Return the header `Link` of a page; empty where Streamlit's files are named otherwise."""
    code = PICTURE_CODE if path.endswith(PICTURE_FIRST) else CHART_CODE
    return ", ".join(f"<{each}>; rel=modulepreload" for each in _paths(code))


def script() -> str:
    """Return what runs the code in the browser, once: it is the module that Streamlit asks for."""
    imports = "".join(
        f"import({json.dumps(path)}).catch(() => {{}});" for path in _paths(CHART_CODE)
    )
    first = f"{json.dumps(PICTURE_FIRST)}.some((end) => location.pathname.endsWith(end))"
    return f"<script>setTimeout(() => {{{imports}}}, {first} ? {LATER} : 0)</script>"


def _paths(code: str) -> list[str]:
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    root = f"/{base}" if base else ""
    return [f"{root}/static/js/{name}" for name in _names(code)]


@cache  # asked for at each run of a page
def _names(pattern: str) -> list[str]:
    scripts = Path(st.__file__).parent / "static" / "static" / "js"
    return sorted(script.name for script in scripts.glob(pattern))
