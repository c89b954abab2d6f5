"""Hostile links in a real browser, against a real server that is watched meanwhile."""

from __future__ import annotations

import re
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

from benchmarks.trials import links
from benchmarks.trials.trial import Tally, print_progress

PATHS = {"explore": "", "plan": "plan", "train": "train", "atlas": "atlas"}
MILLISECONDS = 120_000
WIDTH = 1280
LOCAL = re.compile(r"'(?:127\.0\.0\.1|::1|localhost)'|'/|b'/|None|begun")


def run_trials(number: int, seed: int = 0) -> Tally:
    """Open links, each in a page of its own; outside calls of the server count as failures."""
    from playwright.sync_api import Error, sync_playwright

    from tests.browser.server import HASTY_SWITCHES, ROOT, chromium, running

    tally, started = Tally(), time.monotonic()
    recorder = str(ROOT / "tests" / "browser" / "recorder")
    linked_pages = links.drawn(number, seed)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        calls = Path(place) / "calls"
        with running(PYTHONPATH=recorder, CALLS=str(calls), DISPLAY="") as server:
            browser = playwright.chromium.launch(executable_path=chromium(), args=HASTY_SWITCHES)
            # Memory that the server loads for its first visitors belongs to no trial.
            first = [(page, {}) for page in links.PAGES]
            for done, (page_name, settings) in enumerate([*first, *linked_pages], 1 - len(first)):
                before = _memory(server.pid, "VmRSS")
                _forget_peak(server.pid)
                query = urlencode(settings, doseq=True)
                page = browser.new_page(viewport={"width": WIDTH, "height": 900})
                page.set_default_timeout(MILLISECONDS)
                fault = ""
                try:
                    page.goto(f"{server.address}/{PATHS[page_name]}?{query}"[:30_000])
                    page.wait_for_selector("[data-test-script-state=notRunning]")
                    page.wait_for_timeout(300)
                    fault = _fault(page)
                except Error as error:
                    fault = f"the browser: {str(error)[:200]}"
                page.close()
                growth = _memory(server.pid, "VmHWM") - before
                shown = {
                    name: [value[:80] for value in values[:3]] for name, values in settings.items()
                }
                if done > 0:
                    tally.note(f"{page_name} {shown}", "shown", fault, growth)
                    print_progress(number, "links in the browser", started, done)
            browser.close()
        for line in calls.read_text("utf-8").splitlines():
            if not LOCAL.search(line):
                tally.note("the server", "shown", f"a call: {line[:200]}")
    return tally


def _fault(page: object) -> str:
    """The fault of the page; empty if there is none."""
    state: dict[str, object] = page.evaluate(  # type: ignore[attr-defined]
        """() => {
          const main = document.querySelector('[data-testid=stMain]');
          return {
            error: document.querySelectorAll('[data-testid=stException]').length,
            links: [...document.querySelectorAll('a, img, image, script')].map(
                e => e.getAttribute('href') || e.getAttribute('xlink:href') || e.src || '')
              .filter(to => /evil|mailto|javascript/.test(to)),
            wide: document.documentElement.scrollWidth - window.innerWidth,
            within: main ? main.scrollWidth - main.clientWidth : 0,
          };
        }"""
    )
    if state["error"]:
        return "an error page"
    if state["links"]:
        return f"live links: {state['links']}"
    if max(int(str(state["wide"])), int(str(state["within"]))) > 0:
        return f"wider than the window: {state}"
    return ""


def _memory(pid: int, what: str) -> float:
    """MiB of the server: current ("VmRSS"), or the peak since the last reset ("VmHWM")."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"{what}:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


def _forget_peak(pid: int) -> None:
    Path(f"/proc/{pid}/clear_refs").write_text("5")
