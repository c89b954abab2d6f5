"""Have the browser load and run the code of charts while the page is computed.

Every page opens with a chart. Streamlit's browser part asks for the code of charts, its largest
file, only when the first one has arrived, and then runs it, which takes as long as half a page.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import streamlit as st

CHART_CODE = "PlotlyChart.*.js"


def link() -> str:
    """Return the header `Link`; empty where Streamlit's files are named otherwise."""
    return ", ".join(f"<{path}>; rel=modulepreload" for path in _paths())


def script() -> str:
    """Return what runs the code in the browser, once: it is the module that Streamlit asks for."""
    imports = "".join(f"import({json.dumps(path)}).catch(() => {{}});" for path in _paths())
    return f"<script>{imports}</script>" if imports else ""


def _paths() -> list[str]:
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    root = f"/{base}" if base else ""
    return [f"{root}/static/js/{name}" for name in _names(CHART_CODE)]


@cache  # asked for at each run of a page
def _names(pattern: str) -> list[str]:
    scripts = Path(st.__file__).parent / "static" / "static" / "js"
    return sorted(script.name for script in scripts.glob(pattern))
