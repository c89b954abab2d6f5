"""One server and one Chromium for all browser tests; each test has a page of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    expect,
    sync_playwright,
)

from tests.browser.server import CHROMIUM_SWITCHES, chromium, served
from tests.browser.waiting import PATIENCE

LOCAL = {"127.0.0.1", "localhost", ""}
PROBES = ("/_stcore/health", "/_stcore/host-config")

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium()
    if path is None:
        if os.environ.get("DPCORE_BROWSER") == "required":
            pytest.fail("DPCORE_BROWSER is “required”, but there is no Chromium")
        pytest.skip("there is no Chromium on this machine")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=CHROMIUM_SWITCHES)
        yield started
        started.close()


@pytest.fixture(scope="session")
def address(browser: Browser) -> Iterator[str]:
    with served() as found:
        yield found


@dataclass
class Watched:
    """A page, and everything it said or asked for that it should not have."""

    page: Page
    errors: list[str] = field(default_factory=list)
    left_the_machine: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.on("request", self._request)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._console)

    def _console(self, message: ConsoleMessage) -> None:
        # At a page's own address the browser part first asks for the server beneath that address,
        # then at the root.
        probed = urlsplit(message.location.get("url", "")).path.endswith(PROBES)
        if message.type == "error" and not probed:
            self.errors.append(message.text)

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        # data: and blob: never leave the browser.
        if parts.scheme not in ("data", "blob") and parts.hostname not in LOCAL:
            self.left_the_machine.append(request.url)


@pytest.fixture(params=["light"])
def context(browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    made = browser.new_context(
        viewport={"width": 1280, "height": 900},
        color_scheme=request.param,
        accept_downloads=True,
        permissions=["clipboard-read", "clipboard-write"],
    )
    made.set_default_timeout(PATIENCE)
    yield made
    made.close()


@pytest.fixture
def watched(context: BrowserContext) -> Iterator[Watched]:
    """A page that fails its test if it logs an error or asks another machine for anything."""
    found = Watched(context.new_page())
    found.watch()
    yield found
    assert found.left_the_machine == []
    assert found.errors == []
