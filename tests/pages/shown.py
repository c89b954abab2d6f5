"""Reads from a page under test what Streamlit's own harness has no name for."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def notes(app: AppTest) -> list[str]:
    """What stands below the big numbers, with usual spaces."""
    return [metric.proto.delta_description.replace("\u00a0", " ") for metric in app.metric]


def with_table(app: AppTest, name: str) -> AppTest:
    """The page with the box of a table and its code open."""
    app.session_state[f"table {name}"] = True
    return app.run()
