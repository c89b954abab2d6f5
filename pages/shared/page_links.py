"""List the pages, and draw links to them; each carries what all pages share.

Data, ε, δ, whose data count as one person's, and the seed are one state. A control that declares
its `state` gives its value to it when it is drawn; a page's link sets the controls of the page that
share it, and leaves its others as they were.

An address that is reached without settings of its own, such as by the logo, gets those that the
page had last in this session, and keeps none of the page that was left. That a click is one step of
the browser's history is the work of `assets/history.html`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.control import Control, check
from pages.shared import address
from pages.shared.session import leave, shared_state, store, stored

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator
    from streamlit.navigation.page import StreamlitPage

PREDICT = "What does a released model say?"
LEDGER = "What was spent on each data set?"
"""Titles of the pages that the sidebar does not link to."""
WHERE_HIDDEN = "(on narrow screens, » opens them)"
"""After a word for the controls, which a narrow window begins without."""


Settings = Mapping[str, dict[str, list[str]]]
"""The last ones of each page, by its question."""


@dataclass(frozen=True)
class PageLink:
    script: str
    question: str
    icon: str
    help: str
    controls: str = ""

    @property
    def name(self) -> str:
        """The page's name: of its script, and in its address."""
        return PurePosixPath(self.script).stem


PAGE_LINKS = (
    PageLink(
        "explore/explore.py",
        "What does it cost?",
        ":material/explore:",
        "What privacy costs on a data set: accuracy against ε.",
        "explore",
    ),
    PageLink(
        "plan/plan.py",
        "What can I afford?",
        ":material/event_note:",
        "What trainings and releases cost in ε, and what a budget buys.",
        "plan",
    ),
    PageLink(
        "describe/describe.py",
        "What can I publish?",
        ":material/table_chart:",
        "Counts, means and quartiles of a table, each with its error at ε.",
        "describe",
    ),
    PageLink(
        "atlas/atlas.py",
        "Is it true?",
        ":material/map:",
        "Every claim of the papers, with a verdict.",
        "atlas",
    ),
    PageLink(
        "train/train.py",
        "Train",
        ":material/model_training:",
        "A network trained with privacy, epoch by epoch.",
        "train",
    ),
    PageLink(
        "learn/learn.py",
        "Learn",
        ":material/school:",
        "Short lessons: guess, see, change.",
        "learn",
    ),
    PageLink(
        "release/release.py",
        "May it leave?",
        ":material/output:",
        "A private model and its certificate, paid once: five steps.",
        "release",
    ),
)


def every_page() -> list[StreamlitPage]:
    """Make the pages of the navigation, those without a link among them."""
    first = PAGE_LINKS[0]
    return [
        *(
            st.Page(
                link.script,
                title=link.question,
                icon=link.icon,
                url_path="start" if link is first else None,
                default=link is first,
                help=link.help,
            )
            for link in PAGE_LINKS
        ),
        # The first page's address is "/"; its name leads there too, not to "Page not found".
        st.Page(first.script, title=first.question, url_path="explore"),
        # Reached from a release, and by their addresses.
        st.Page("predict/predict.py", title=PREDICT, url_path="predict"),
        st.Page("ledger/ledger.py", title=LEDGER, url_path="ledger"),
    ]


def open_page(question: str) -> None:
    """Draw the links above the sidebar's controls; call it before the page is run.

    They are drawn again once the page has its settings, in a place beside the first: messages to
    one place in one run are merged while they wait, and a fragment's would be torn apart.
    """
    came_from = stored("page")
    store("page", question)
    if came_from not in (None, question):
        leave()
    # What the page that is left has not drawn stays in the address.
    there, left = _address(), _settings().get(came_from, {})
    is_bare = all(left.get(name) == there[name] for name in there)
    if came_from not in (None, question) and is_bare:
        st.query_params.from_dict(_settings().get(question, {}))
    at_first = st.sidebar.empty()
    _draw(at_first, "doors_at_first", _settings())
    store("doors at first", at_first)
    # A container's links stay until they are drawn again: none is lost under a click or with focus.
    store("doors", st.sidebar.container())
    store("doors are drawn", False)


def link_to(question: str, **settings: str) -> tuple[str, dict[str, str | list[str]]]:
    """A page's script and link, with these settings in place of what it showed last."""
    page_link = next(each for each in PAGE_LINKS if each.question == question)
    return page_link.script, {**_link(page_link, _settings(), shared_state()), **settings}


def close_page() -> None:
    """Draw the links of a page that has not done so itself; call it after the page is run.

    The first ones are removed, as the browser would go through them at each move of a control.
    """
    if not stored("doors are drawn"):
        draw_anew()
    stored("doors at first").empty()


def draw_anew() -> None:
    """Store the page's settings, and draw the links with them; at most once a run."""
    settings = {**_settings(), str(stored("page")): _address()}
    store("settings", settings)
    store("doors are drawn", True)
    _draw(stored("doors"), "doors", settings)


def _address() -> dict[str, list[str]]:
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _settings() -> Settings:
    return stored("settings") or {}


def _draw(place: DeltaGenerator, key: str, settings: Settings) -> None:
    state = shared_state()
    with place.container(key=key, gap="xxsmall"):
        for page_link in PAGE_LINKS:
            st.page_link(
                page_link.script,
                label=page_link.question,
                icon=page_link.icon,
                help=page_link.help,
                width="stretch",
                query_params=_link(page_link, settings, state),
            )


def _link(
    page_link: PageLink, settings: Settings, state: Mapping[str, object]
) -> dict[str, str | list[str]]:
    """The last settings of the page, with the shared state where the page can show it."""
    link: dict[str, str | list[str]] = dict(settings.get(page_link.question, {}))
    for place, control in enumerate(_shared(page_link.controls)):
        # What the page does not offer stays behind: it shows what it showed last.
        for value in (state.get(control.state), state.get(control.key)):
            text = None if value is None else _text(page_link.controls, place, value)
            if text is not None:
                link.pop(control.key, None)
                if value != control.default:
                    link[control.key] = text
                break
    return link


@cache
def _shared(module: str) -> tuple[Control, ...]:
    return getattr(import_module(f"dpcore.controls.{module}"), "SHARED", ()) if module else ()


@lru_cache(maxsize=4096)  # links are drawn each time that ε rests
def _text(module: str, place: int, value: Hashable) -> str | None:
    control = _shared(module)[place]
    try:
        text = str(control.text(value))
    except KeyError:
        return None
    return None if check([control], {control.key: [text]}, address.quoted) else text
