"""Opens a page by its link, and reads what Streamlit's own harness has no name for."""

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest

APP = str(Path(__file__).resolve().parents[2] / "pages" / "main.py")


def open_page(page, /, **link):
    """The page after its first run."""
    app = AppTest.from_file(APP, default_timeout=240)
    if page != "explore":
        app.switch_page(f"{page}/{page}.py")
    for name, value in link.items():
        app.query_params[name] = value
    return run(app)


def run(app):
    """The page after one more run."""
    app.run()
    assert not app.exception
    return app


def numbers(app):
    """The big numbers by their labels."""
    return {metric.label: metric.value for metric in app.metric}


def said(app, *more):
    """What a page says; more kinds of elements than these two may be named."""
    kinds = ("markdown", "caption", *more)
    return " ".join(text.value for kind in kinds for text in app.get(kind))


def notes(app):
    """What stands below the big numbers, with usual spaces."""
    return [metric.proto.delta_description.replace("\u00a0", " ") for metric in app.metric]


def said_with_notes(app):
    """What is said, also below the big numbers, with usual spaces."""
    return " ".join((said(app), *notes(app))).replace("\u00a0", " ")


def charts(app):
    """The keys of the charts on the page."""
    return {str(chart.key) for chart in app.get("plotly_chart")}


def picture(app):
    """What the first picture that moves holds, with its `stop`."""
    shown = app.get("bidi_component")[0]
    return json.loads(shown.proto.json)


def with_table(app, name):
    """The page with the box of a table and its code open."""
    app.session_state[f"table {name}"] = True
    return app.run()
