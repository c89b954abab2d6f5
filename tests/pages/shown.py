"""Opens a page by its link, and reads what Streamlit's own harness has no name for."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

APP = str(Path(__file__).resolve().parents[2] / "pages" / "main.py")


def open_page(page, /, **link):
    """The page after its first run."""
    app = AppTest.from_file(APP, default_timeout=180)
    if page != "explore":
        app.switch_page(f"{page}/{page}.py")
    for name, value in link.items():
        app.query_params[name] = value
    return app.run()


def numbers(app):
    return {metric.label: metric.value for metric in app.metric}


def said(app):
    return " ".join(text.value for text in (*app.markdown, *app.caption))


def notes(app):
    """What stands below the big numbers, with usual spaces."""
    return [metric.proto.delta_description.replace("\u00a0", " ") for metric in app.metric]


def said_with_notes(app):
    """What is said, also below the big numbers, with usual spaces."""
    return " ".join((said(app), *notes(app))).replace("\u00a0", " ")


def with_table(app, name):
    """The page with the box of a table and its code open."""
    app.session_state[f"table {name}"] = True
    return app.run()
