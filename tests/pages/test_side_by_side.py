"""The tab of Explore that lays plots side by side: what is plotted, and seconds."""

from __future__ import annotations

import json

import pytest

from dpcore.controls.explore import EPSILONS
from dpcore.questions.cost.figure import MEASURES
from tests.pages.explored import at, finished, only_methods
from tests.pages.shown import run, said, with_table
from tests.typewritten import number

pytestmark = [
    pytest.mark.usefixtures("alone", "jobs_at_once"),
    pytest.mark.slow("runs whole pages"),
]

LINK = {"data": "Breast cancer (Wisconsin)", "focus": "OPERA", "methods": "OPERA", "runs": "10"}


@pytest.fixture(autouse=True)
def one_method(monkeypatch):
    only_methods(monkeypatch, "opera")


def plots(app):
    """The panels of the tab by their titles."""
    _, shown = (json.loads(each.proto.json) for each in app.get("bidi_component"))
    return {panel["title"]: panel for panel in shown["panels"]}


def opened(**link):
    return at(LINK | {"view": "Side by side"} | link)


def test_seconds_are_measured_once_they_are_asked_for():
    app = opened()
    assert MEASURES["objective"][0] in plots(app)
    assert MEASURES["seconds"][0] not in plots(app)
    app.segmented_control(key="plotted").set_value("seconds")
    app = finished(run(app))
    (line,) = plots(app)[MEASURES["seconds"][0]]["lines"]
    assert line["name"] == "OPERA"
    assert all(number(text) > 0.0 for text in line["texts"])
    assert "on the machine that runs this page" in said(app)
    rows = with_table(app, "plots").dataframe[-1].value
    assert len(rows) == len(EPSILONS)
    # They stand in what is drawn there, and in no answer that a command repeats.
    assert (rows["seconds"] > 0.0).all()
    assert "seconds" not in with_table(app, "cost").dataframe[0].value
