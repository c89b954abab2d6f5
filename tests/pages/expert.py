"""Opens the controls of Explore and of Train that are closed at first."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def with_expert_open(app: AppTest) -> AppTest:
    """The page after its Expert controls were opened."""
    app.session_state["expert"] = True
    app.run()
    assert not app.exception
    return app
