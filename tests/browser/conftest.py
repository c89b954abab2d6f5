"""One server, one Chromium and one tab of it for all browser tests, and one server in a hurry.

Most of a visit's cost is Streamlit's and Plotly's scripts, which a new tab, and more so a new
context, loads and compiles anew: two to three times the processor time of another address in the
same tab. Each test goes to an address of its own, which the server answers with a new session.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Error, Page, ViewportSize, expect, sync_playwright

from dpcore import settings
from tests.browser.server import HASTY_SWITCHES, Server, chromium, running
from tests.browser.waiting import PATIENCE

LOCAL = {"127.0.0.1", "localhost", ""}
WINDOW: ViewportSize = {"width": 1280, "height": 900}
FORGET_SECONDS, EXPIRES_SECONDS = 4.0, 6.0
SHOWN_LETTERS, ANSWER_MILLISECONDS = 4_000, 5_000
BLANK = "about:blank"
PROBES = ("/_stcore/health", "/_stcore/host-config")

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def browser():
    path = chromium()
    if path is None:
        if os.environ.get("DPCORE_BROWSER") == "required":
            pytest.fail("DPCORE_BROWSER is “required”, but there is no Chromium")
        pytest.skip("there is no Chromium on this machine")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=path, args=HASTY_SWITCHES, timeout=PATIENCE
        )
        yield started
        started.close()


@pytest.fixture(scope="session")
def server():
    with running() as result:
        yield result


@pytest.fixture(scope="session")
def hasty(tmp_path_factory):
    """A server that soon forgets who has gone, and notes whom it and its workers call."""
    calls = tmp_path_factory.mktemp("recorded") / "calls"
    given = {
        "PYTHONPATH": str(Path(__file__).parent / "recorder"),
        "CALLS": str(calls),
        "DISPLAY": "",
        settings.FORGET_SECONDS.name: f"{FORGET_SECONDS}",
        settings.WATCH_SECONDS.name: f"{EXPIRES_SECONDS}",
    }
    with running(**given) as result:
        yield Hasty(result, calls)


@pytest.fixture(scope="session")
def address(server):
    return server.address


@dataclass(frozen=True)
class Hasty:
    """A server, and the file in which its calls are noted."""

    server: Server
    calls: Path


@dataclass
class Watched:
    """A page, and everything it said or asked for that it should not have."""

    page: Page
    errors: list[str] = field(default_factory=list)
    left_the_machine: list[str] = field(default_factory=list)

    def watch(self):
        self.page.on("request", self._request)
        self.page.on("pageerror", self._error)
        self.page.on("console", self._console)

    def leave(self):
        """Watch no more: the next test watches the same tab for itself."""
        self.page.remove_listener("request", self._request)
        self.page.remove_listener("pageerror", self._error)
        self.page.remove_listener("console", self._console)

    def _error(self, error):
        self.errors.append(str(error))

    def _console(self, message):
        # At a page's own address the browser part first asks for the server beneath that address,
        # then at the root.
        place = message.location.get("url", "")
        if message.type == "error" and not urlsplit(place).path.endswith(PROBES):
            self.errors.append(f"{message.text} at {place}")

    def _request(self, request):
        parts = urlsplit(request.url)
        # data: and blob: never leave the browser.
        if parts.scheme not in ("data", "blob") and parts.hostname not in LOCAL:
            self.left_the_machine.append(request.url)


def new_context(browser):
    made = browser.new_context(
        viewport=WINDOW,
        reduced_motion="reduce",
        color_scheme="light",
        accept_downloads=True,
        permissions=["clipboard-read", "clipboard-write"],
    )
    made.set_default_timeout(PATIENCE)
    return made


@pytest.fixture(scope="session")
def in_turn(browser):
    """The page that tests use one after the other: the last, where others have crashed."""
    opened: list[Page] = []
    yield opened
    for page in opened:
        page.context.close()


@pytest.fixture
def tab(browser, in_turn):
    """The page that tests use one after the other, empty."""
    if not in_turn or not _empty(in_turn[-1]):
        in_turn.append(new_context(browser).new_page())
    page = in_turn[-1]
    page.set_viewport_size(WINDOW)
    page.emulate_media(color_scheme="light")
    return page


@pytest.fixture(params=["light"])
def theme(request):
    """What the browser says that the reader prefers."""
    result: str = request.param
    return result


@pytest.fixture
def watched(tab, theme):
    """A page that fails its test if it logs an error or asks another machine for anything."""
    tab.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    result = Watched(tab)
    result.watch()
    yield result
    result.leave()
    assert result.left_the_machine == []
    assert result.errors == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Add what the page showed, and what its server printed, to the report of a failed test."""
    report = yield
    if call.when == "call" and report.failed:
        given = getattr(item, "funcargs", {})
        if isinstance(page := given.get("tab"), Page):
            report.sections.append(("the page", _shown(page)))
        hasty, server = given.get("hasty"), given.get("server")
        printing = hasty.server if isinstance(hasty, Hasty) else server
        if isinstance(printing, Server):
            printed = printing.log.read_text(encoding="utf-8", errors="replace")
            report.sections.append(("the server", printed[-SHOWN_LETTERS:]))
    return report


def _shown(page):
    """The page's address, the state of its script and its text, as far as it still answers."""
    try:
        state = page.locator("[data-testid=stApp]").get_attribute(
            "data-test-script-state", timeout=ANSWER_MILLISECONDS
        )
        text = page.locator("body").inner_text(timeout=ANSWER_MILLISECONDS)
    except Error as error:
        return f"{page.url}\n{error}"
    return f"{page.url}\nscript: {state}\n{text[:SHOWN_LETTERS]}"


def _empty(page):
    """Leave what the page shows and what it has stored; whether it could."""
    try:
        if page.url != BLANK:
            # Streamlit's: whether the controls are open; ours: what a coin has sent.
            page.evaluate("localStorage.clear(); sessionStorage.clear()")
        page.goto(BLANK)
    except Error:
        return False
    return True
