"""Hostile links to every page: no error page, and nothing of a stranger's that would be a link."""

from __future__ import annotations

import os
import random
import re
import tempfile
import time
from pathlib import Path
from unittest import mock

from benchmarks.trials.commands import LIKELY, NUMBERS, WORDS
from benchmarks.trials.trial import Tally, memory, print_progress

MAIN = str(Path(__file__).resolve().parents[2] / "pages" / "main.py")
PAGES = ("explore", "plan", "train", "atlas")
MAX_SECONDS = 120.0
LONGEST = 3_000
KINDS = (
    *("selectbox", "number_input", "select_slider", "text_input", "text_area", "toggle"),
    *("segmented_control", "pills", "multiselect", "radio", "checkbox", "button_group"),
)
# Names that only some settings show a control for, or that no control has.
MORE = {
    "explore": (
        *("own_columns", "number_methods", "methods", "lambda_value", "radius", "delta", "focus"),
        *("huber_width", "fourier_features", "bandwidth", "may_miss", "may_cost", "steps", "view"),
    ),
    "plan": (
        *("plan_view", "every", "ladder_epsilon", "ladder_delta", "ladder_sensitivity", "account"),
        *("target", "solve"),
    ),
    "train": (
        *("compare", "layers", "units", "ratio", "when", "effect", "gives_way", "train_view"),
        *("train_seed", "order", "share", "public", "person", "meaning"),
    ),
    "atlas": ("search", "leaf", "system", "form", "run_data", "run_delta", "run_runs", "paper"),
}
ANYWHERE = ("prior", "rate", "embed", "embed_options", "evil", "https://evil.example", "")
TEXTS = (
    *("https://evil.example/login", "HTTP://evil.example", "www.evil.example", "x@evil.example"),
    *("[here](https://evil.example)", "![x](https://evil.example/x.png)", ":smile:evil", "$evil$"),
    *("<a href='https://evil.example'>here</a>", "<script>evil</script>", "`www.evil.example`"),
    *("javascript:evil()", "data:text/html,evil", "**evil**", "=evil()", "../../evil", "%00evil"),
)
DESCRIPTIONS = (
    "www.evil.example: 1 to 2 <a href='//evil.example'>\npredict x@evil.example: 0 to 1",
    "www.evil.example: 1 to 2 www.evil.example\npredict www.evil: one of a, <b>evil</b>",
    "https://evil.example: 1 to 2",
    "a: www.evil.example",
)
_CODE = re.compile(r"(?<![\\`])(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_LIVE = re.compile(r"(?i)(?:https?://|www\.|\S@)\S*evil|\]\(\S*evil|<(?:a|img|script)\b[^>]*evil")


def names() -> dict[str, list[str]]:
    """The names in each page's address."""
    from streamlit.testing.v1 import AppTest

    names_by_page = {}
    for page in PAGES:
        app = AppTest.from_file(MAIN, default_timeout=MAX_SECONDS)
        app.switch_page(f"{page}/{page}.py")
        app.run()
        keys = {element.key for kind in KINDS for element in app.get(kind) if element.key}
        names_by_page[page] = sorted({*keys, *MORE[page]})
    return names_by_page


def drawn(number: int, seed: int) -> list[tuple[str, dict[str, list[str]]]]:
    """Random pages with the settings of their links, the same for the same seed."""
    draw, page_names = random.Random(seed), names()
    return [_link(draw, PAGES[place % len(PAGES)], page_names) for place in range(number)]


def _link(
    draw: random.Random, page: str, known: dict[str, list[str]]
) -> tuple[str, dict[str, list[str]]]:
    settings: dict[str, list[str]] = {}
    for _ in range(draw.choices((1, 2, 3, 8), (5, 4, 3, 1))[0]):
        name = draw.choice(known[page] if draw.random() < 0.9 else [*ANYWHERE, *WORDS, *TEXTS])
        kinds = (LIKELY, NUMBERS, WORDS, TEXTS)
        repeats = draw.choices((1, 2, 30), (20, 3, 1))[0]
        settings[name[:200]] = [
            draw.choice(draw.choices(kinds, (2, 4, 2, 4))[0])[:LONGEST] for _ in range(repeats)
        ]
    if page == "explore" and draw.random() < 0.15:
        settings |= {"data": ["Your own table"], "own_columns": [draw.choice(DESCRIPTIONS)]}
    return page, settings


def live(markdown: str) -> str:
    """Foreign text that would become a link; empty if there is none."""
    rest = _CODE.sub("", markdown).replace("\\", "")
    match = _LIVE.search(rest)
    return match[0] if match else ""


def run_trials(number: int, seed: int = 0) -> Tally:
    """Open random links, each in a session of its own."""
    from streamlit.testing.v1 import AppTest

    from dpcore.work import jobs

    tally, started = Tally(), time.monotonic()
    # Only pages are tested here, no trainings.
    full = mock.patch.object(jobs, "submit", side_effect=jobs.QueueFull("full"))
    with tempfile.TemporaryDirectory() as cache, full:
        os.environ["DPCORE_CACHE"] = cache
        linked_pages = drawn(number, seed)
        for done, (page, settings) in enumerate(linked_pages):
            before = memory("VmRSS")
            app = AppTest.from_file(MAIN, default_timeout=MAX_SECONDS)
            app.switch_page(f"{page}/{page}.py")
            for name, values in settings.items():
                app.query_params[name] = values
            fault = ""
            try:
                app.run()
                fault = _fault(app)
            except Exception as error:
                fault = f"{type(error).__name__}: {str(error)[:200]}"
            shown = {
                name: [value[:80] for value in values[:3]] for name, values in settings.items()
            }
            warned = "warned" if app.warning else "shown"
            tally.note(f"{page} {shown}", warned, fault, memory("VmRSS") - before)
            print_progress(number, "links", started, done + 1)
    return tally


def _fault(app: object) -> str:
    """The fault of the page; empty if there is none."""
    if app.exception:  # type: ignore[attr-defined]
        exception = app.exception[0]  # type: ignore[attr-defined]
        return f"an error page: {exception.message[:200]} {exception.stack_trace[-1:]}"
    for kind in ("markdown", "caption", "warning", "error", "info", "success", "toast", "title"):
        for element in app.get(kind):  # type: ignore[attr-defined]
            if link := live(str(element.value)):
                return f"a live link in {kind}: {link}"
    for element in app.get("plotly_chart"):  # type: ignore[attr-defined]
        spec = element.proto.spec
        if re.search(r"(?:<|\\u003c)(?:a|b|img)\b[^>]*evil", spec):
            return f"markup in a figure: {spec[:100]}"
    return ""
