"""Names the code of charts in each page's headers: the browser loads it while the page is computed.

Every page opens with a chart. Streamlit's browser part asks for the code of charts, its largest
file, only when the first one has arrived.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

CHART_CODE = "PlotlyChart.*.js"


def link() -> str:
    """Value of the header `Link`; empty where Streamlit's files are named otherwise."""
    scripts = Path(st.__file__).parent / "static" / "static" / "js"
    base = str(st.get_option("server.baseUrlPath")).strip("/")
    root = f"/{base}" if base else ""
    return ", ".join(
        f"<{root}/static/js/{script.name}>; rel=modulepreload"
        for script in sorted(scripts.glob(CHART_CODE))
    )
