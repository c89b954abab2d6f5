"""Opens links of the pages and reads what they answer and say, once all that they ask for is there.

There are no threads and no workers: what a page asks for is computed at once, or between two runs.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from datetime import date
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs

import pandas as pd
import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from dpcore.evaluation import curves
from dpcore.release import rounded_gaussian
from dpcore.work import executors, handle
from pages.explore import take_along
from pages.plan import account, entries
from tests.golden_answers import lasting, short
from tests.pages.explored import only_methods

APP = str(Path(__file__).resolve().parents[1] / "pages" / "main.py")
TODAY = date(2031, 2, 15)
MAX_RUNS = 20
READ = ("label", "title", "body", "code_text", "text", "caption", "options", "placeholder", "help")
READ += ("delta", "delta_description", "data", "error_message", "alt")
SILENT = ("html", "container", "horizontal", "vertical", "column", "empty", "space", "divider")
SILENT += ("unknown", "root", "main", "flex_container", "skeleton")


class _Dates(type):
    def __instancecheck__(cls, other: object) -> bool:
        return isinstance(other, date)


class Day(date, metaclass=_Dates):
    """A calendar that stands still."""

    @classmethod
    def today(cls) -> date:
        return TODAY


class Later:
    """Work that is done once the page has been drawn, and no process for it."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, work: Callable[..., Any], *given: object, **_: object) -> Future[Any]:
        """The future of work that `do` does."""
        future: Future[Any] = Future()
        self._waiting.append((future, functools.partial(work, *given)))
        return future

    def do(self) -> None:
        """Do what was handed in and is still wanted."""
        while self._waiting:
            future, work = self._waiting.pop(0)
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(work())
                except BaseException as error:
                    future.set_exception(error)


LATER = Later()


class AtOnce:
    """Threads that have done what they are given before they say so."""

    @staticmethod
    def submit(work: Callable[..., Any], *given: object) -> Future[Any]:
        """The future of work that is done."""
        alone = Later()
        future = alone.submit(work, *given)
        alone.do()
        return future


def quicken(patch: pytest.MonkeyPatch) -> None:
    """Do everything at once, on few splits, by few methods, by the same day and noise."""
    scan = functools.cache(manifest_scanner.scan_component_manifests)
    patch.setattr(manifest_scanner, "scan_component_manifests", scan)
    patch.setattr(type(st.context), "ip_address", None)
    patch.setattr(executors, "submit", LATER.submit)
    patch.setattr(executors, "make_ready", lambda: None)
    patch.setattr(handle, "threads", lambda quick: AtOnce)
    patch.setattr(curves, "BAND_DRAWS", 20)
    patch.setattr("dpcore.evaluation.splits.MAX", 3)
    patch.setattr(rounded_gaussian, "os", SimpleNamespace(urandom=Random(0).randbytes))
    only_methods(patch, "opera", "outpert")
    for module in (take_along, account, entries):
        patch.setattr(module, "date", Day)


def opened(link: str, press: str = "") -> AppTest:
    """The page that a link opens, settled; with a guess made and a button pressed if named."""
    page, _, query = link.partition("?")
    app = AppTest.from_file(APP, default_timeout=300)
    if page != "explore":
        app.switch_page(f"{page}/{page}.py")
    for name, values in parse_qs(query).items():
        app.query_params[name] = values if len(values) > 1 else values[0]
    settled(app)
    if press:
        app.slider[0].set_value(app.slider[0].max)
        settled(app)
        app.button(key=press).click()
        settled(app)
    tables = [each.key for each in nodes(app) if str(each.key).startswith(("table ", "tables"))]
    for key in tables:
        app.session_state[key] = True
    return settled(app) if tables else app


def nodes(app: AppTest) -> list[Any]:
    """Its elements and containers, in order; those that Streamlit itself makes have no source."""
    return [each for each in app._tree if getattr(each, "proto", None) is not None]


def settled(app: AppTest) -> AppTest:
    """Run until nothing is under way and one more run says the same."""
    before: list[str] = []
    for _ in range(MAX_RUNS):
        app.run()
        assert not app.exception, app.exception[0].value
        now = list(said(app))
        LATER.do()
        if now == before and not app.get("progress"):
            return app
        before = now
    raise AssertionError("the page comes to no end")


def answer(app: AppTest) -> dict[str, Any]:
    """The headline numbers, the rows behind charts, what pictures hold, and the tables."""
    charts: dict[str, Any] = {}
    tables = {}
    for place, each in enumerate(app.get("bidi_component"), 1):
        picture = json.loads(each.proto.json)
        if "stop" not in picture:
            continue  # the coin of a lesson
        charts[f"picture {place}"] = {
            "axis": short(picture["axis"]["places"]),
            "sentences": short(picture["sentences"]),
            "readings": {one["label"]: short(one["values"]) for one in picture["readings"]},
            "lines": [
                {"name": line["name"], "y": short(line["places"])}
                for panel in picture["panels"]
                for line in panel["lines"]
            ],
        }
    for place, each in enumerate(app.get("plotly_chart"), 1):
        traces = json.loads(each.proto.spec)["data"]
        charts[f"chart {place}"] = [
            {name: short(trace[name]) for name in ("name", "x", "y", "z") if name in trace}
            for trace in traces
        ]
    for place, each in enumerate((*app.dataframe, *app.table), 1):
        tables[f"table {place}"] = short(
            pd.DataFrame(each.value).drop(columns="seconds", errors="ignore")
        )
    metrics = {f"{number}. {each.label}": each.value for number, each in enumerate(app.metric, 1)}
    return {"metrics": metrics} | charts | tables


def said(app: AppTest) -> Iterator[str]:
    """A line for each element that says something, in the order of the page."""
    for element in nodes(app):
        if element.type in SILENT:
            continue
        proto = element.proto
        if element.type in ("plotly_chart", "arrow_data_frame", "arrow_table"):
            words = [proto.alt] if hasattr(proto, "alt") else []
        elif element.type == "bidi_component":
            words = list(_told(json.loads(proto.json)))
        else:
            inner = getattr(proto, element.type, None)
            words = [*_words(proto), *(_words(inner) if hasattr(inner, "DESCRIPTOR") else ())]
        text = " | ".join(dict.fromkeys(each for each in words if each))
        if text:
            # Every line of text stands on one line of the file.
            yield re.sub(r"\s*\n\s*", " ⏎ ", lasting(f"{element.type}: {text}"))


def _told(picture: dict[str, Any]) -> Iterator[str]:
    """What a picture says at its stop, and to who does not see it."""
    if "stop" not in picture:  # the coin of a lesson
        yield from (each for each in picture.values() if isinstance(each, str))
        return
    stop = picture["stop"]
    yield picture["sentences"][stop]
    for one in picture["readings"]:
        yield f"{one['label']}: {one['values'][stop]}, {one['notes'][stop]}"
    for panel in picture["panels"]:
        yield panel["title"]
        yield from (
            one[name]
            for name, part in (("name", "lines"), ("label", "rules"))
            for one in panel[part]
        )
    if picture["guesses"]:
        yield picture["guesses"]["sentences"][stop]
    yield picture["alt"]


def _words(proto: Any) -> Iterator[str]:
    fields = proto.DESCRIPTOR.fields_by_name
    for name in READ:
        if name in fields:
            value = getattr(proto, name)
            for each in (
                [value] if isinstance(value, str) or not hasattr(value, "__len__") else value
            ):
                yield str(getattr(each, "content", each) if not isinstance(each, str) else each)
