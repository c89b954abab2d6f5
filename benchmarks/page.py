"""Speed of the pages: cold start to a chart, an ε move, a σ move, and `import dpcore`.

Run: python -m benchmarks.page [--json] [--tabs]. Needs Chromium. Times are taken in the browser,
from the key press to the changed text, on the machine that also runs the server. The floor is a
bare Streamlit page (`benchmarks/floor.py`) as Streamlit comes, measured in turns with Explore;
ratios are to it. The tuned floor is the same page with this project's settings: without a
collection of garbage after each run. Of Explore's cold starts the first computes its answer; the
others find it on the disk, as every later start of a server does. Beside the first one stands what
computing that answer takes one process without a page.

With `--tabs` an ε that is typed is timed in Explore's open tabs on the clinic's measures and on
risk curves instead, beside the floor's: until the last number, sentence and line in the tab has
changed, as on the floor until its last one has.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Page, Playwright, ViewportSize, sync_playwright  # noqa: E402

from tests.browser.server import CHROMIUM_SWITCHES, chromium, served  # noqa: E402

STARTS = 5
MOVES = 30
ANSWER = """
from dpcore.work.task import JobContext
from pages.explore import controls, view

for question in view.gather(controls.first_choice()).first.studies.values():
    question.answer(JobContext())
"""
"""Computes what Explore's first visitor waits for."""
TURNS = 3
"""Number of turns between the floor and Explore, with `MOVES` moves of each in all."""
IMPORTS = 5
FLOOR, APP = "benchmarks/floor.py", "app.py"

VIEWPORT: ViewportSize = {"width": 1280, "height": 900}
AS_IT_COMES = {"STREAMLIT_RUNNER_POST_SCRIPT_GC": "true"}
"""Settings of `.streamlit/config.toml` undone for the floor."""
BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}
"""Python keeps what it has compiled, as it does by default: the installer compiled Streamlit's own
files, so without it only this project's would be compiled anew at each start."""

# Notes the time of each key press and of each change of the big numbers' text, which a picture that
# moves has in a root of its own.
WATCH = """() => {
  const is_watched = 'delays' in window;
  window.delays = [];
  if (is_watched) return;
  const roots = [document, ...[...document.querySelectorAll('*')].map((one) => one.shadowRoot)]
    .filter(Boolean);
  const numbers = () => roots.flatMap((root) =>
    [...root.querySelectorAll('[data-testid=stMetricValue], .value')])
    .map((element) => element.textContent).join('|');
  let last = numbers(), pressed = null;
  window.addEventListener('keydown', () => { pressed = performance.now(); }, true);
  const watching = new MutationObserver(() => {
    const now = numbers();
    if (now !== last) {
      last = now;
      if (pressed !== null) { window.delays.push(performance.now() - pressed); pressed = null; }
    }
  });
  for (const root of roots) {
    watching.observe(root, { subtree: true, childList: true, characterData: true });
  }
}"""


# Notes the time from each key press to the last change of what is told or drawn in a place. What is
# there is read once a picture of the browser, as reading it at each change would take longer than
# the change itself.
WATCH_PLACE = """place => {
  const is_watched = 'delays' in window;
  window.delays = [];
  if (is_watched) return;
  const shown = () => [...document.querySelectorAll(place)].map((element) => element.textContent
    + [...element.querySelectorAll('.js-plotly-plot path')].map((path) => path.getAttribute('d')))
    .join();
  let last = shown(), pressed = null, changed = null;
  window.addEventListener('keydown', () => {
    pressed = performance.now();
    window.delays.push(null);
  }, true);
  new MutationObserver(() => { changed = performance.now(); }).observe(document.body,
    { subtree: true, childList: true, characterData: true, attributeFilter: ['d'] });
  const look = () => {
    if (changed !== null && pressed !== null) {
      const now = shown();
      if (now !== last) window.delays[window.delays.length - 1] = changed - pressed;
      last = now;
    }
    changed = null;
    requestAnimationFrame(look);
  };
  look();
}"""
TABS = ("Net benefit", "Calibration", "Groups", "Risk curves")
PLACE = ".st-key-open_tab"
"""Where the open one stands."""
PICTURE = ".panel .strong"
"""A line of a picture that moves."""


def drawn(page: Page) -> None:
    """Wait until the first chart has lines."""
    lines = f".js-plotly-plot .scatterlayer .trace path, {PICTURE}"
    page.wait_for_selector(lines, state="attached", timeout=120_000)


def trained(page: Page) -> None:
    """Wait until nothing is trained in the background: it must not disturb."""
    page.wait_for_timeout(3000)  # by then the first job's line is there, if any is to come
    page.wait_for_selector("[data-testid=stProgress]", state="detached", timeout=600_000)
    page.wait_for_timeout(3000)


def epsilon_moves(page: Page, moves: int, place: str = "") -> list[float]:
    """Milliseconds from key press to changed numbers, or to the last change in a place."""
    is_typed = place == PLACE
    role = "spinbutton" if is_typed else "slider"
    page.get_by_role(role, name="Privacy loss ε").first.focus()
    page.evaluate(WATCH_PLACE, place) if place else page.evaluate(WATCH)
    keys = ("ArrowUp", "ArrowDown") if is_typed else ("ArrowLeft", "ArrowRight")
    for move in range(moves):
        page.keyboard.press(keys[move % 10 >= 5])
        page.wait_for_function("count => window.delays[count] > 0", arg=move, timeout=10_000)
        # Let the small figures settle, like a person who looks at each step.
        page.wait_for_timeout(400)
    return list(page.evaluate("window.delays"))


def cold_start(playwright: Playwright, script: str, cache: str) -> float:
    """Seconds from starting a server to the first chart in a browser that has nothing cached.

    `cache` is the folder of what earlier servers have computed.
    """
    browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_SWITCHES)
    page = browser.new_page(viewport=VIEWPORT)
    started = time.perf_counter()
    settings = {**BYTECODE, **(AS_IT_COMES if script == FLOOR else {}), "DPCORE_CACHE": cache}
    with served(script, **settings) as address:
        page.goto(address)
        drawn(page)
        seconds = time.perf_counter() - started
    browser.close()
    return seconds


def moves_in_turns(playwright: Playwright) -> dict[str, list[float]]:
    """Milliseconds of an ε move on both floors and on Explore; then those of a σ move on Plan."""
    # A background page is drawn late, so each has a browser of its own.
    browsers = [
        playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_SWITCHES)
        for _ in range(3)
    ]
    with served(FLOOR, **AS_IT_COMES) as floor, served(FLOOR) as tuned, served(APP) as app:
        pages = {}
        for browser, (name, address) in zip(
            browsers, {"floor": floor, "tuned": tuned, "explore": app}.items(), strict=True
        ):
            pages[name] = browser.new_page(viewport=VIEWPORT)
            pages[name].goto(address)
            drawn(pages[name])
        explore = pages["explore"]
        trained(explore)
        times: dict[str, list[float]] = {name: [] for name in pages}
        for _ in range(TURNS):
            for name, page in pages.items():
                times[name] += epsilon_moves(page, MOVES // TURNS)
        times["plan"] = plan_moves(explore, app)
    for browser in browsers:
        browser.close()
    return times


def tab_moves(playwright: Playwright) -> dict[str, tuple[list[float], list[float]]]:
    """Milliseconds of an ε move on the floor and in each of `TABS`, in turns."""
    times_by_tab = {}
    with served(FLOOR, **AS_IT_COMES) as floor, served(APP) as app:
        browsers = [
            playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_SWITCHES)
            for _ in range(2)
        ]
        bare, explore = (browser.new_page(viewport=VIEWPORT) for browser in browsers)
        bare.goto(floor)
        drawn(bare)
        for tab in TABS:
            explore.goto(f"{app}/?methods=OPERA&focus=OPERA&view={tab}")
            first = explore.locator(f"{PLACE} .js-plotly-plot path").first
            first.wait_for(state="attached", timeout=300_000)
            trained(explore)
            times: tuple[list[float], list[float]] = [], []
            for _ in range(TURNS):
                times[0].extend(epsilon_moves(bare, MOVES // TURNS, "[data-testid=stMain]"))
                times[1].extend(epsilon_moves(explore, MOVES // TURNS, PLACE))
            times_by_tab[tab] = times
        for browser in browsers:
            browser.close()
    return times_by_tab


# Notes the same for Plan's certified number.
WATCH_PLAN = """() => {
  const number = () => {
    const metric = [...document.querySelectorAll('[data-testid=stMetric]')]
      .find((element) => element.innerText.startsWith('ε by PLD'));
    return metric ? metric.querySelector('[data-testid=stMetricValue]').innerText.trim() : '';
  };
  window.plan = [];
  let last = number(), pressed = 0, waiting = false;
  window.addEventListener('keydown', () => { pressed = performance.now(); waiting = true; }, true);
  new MutationObserver(() => {
    const now = number();
    if (now === last || now === '') return;
    last = now;
    if (waiting) { window.plan.push(performance.now() - pressed); }
    waiting = false;
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def plan_moves(page: Page, address: str) -> list[float]:
    """Milliseconds from key press to the certified number, `MOVES` times."""
    page.goto(f"{address}/plan?question=One+run")
    drawn(page)
    page.wait_for_timeout(2000)
    page.get_by_role("spinbutton", name="First noise σ₀").focus()
    page.evaluate(WATCH_PLAN)
    for move in range(MOVES):
        page.keyboard.press("ArrowUp")
        page.wait_for_function("count => window.plan.length > count", arg=move, timeout=10_000)
        # As with ε: let the chart settle.
        page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
        page.wait_for_timeout(400)
    return list(page.evaluate("window.plan"))


def answer_seconds(cache: str) -> float:
    """Seconds that `ANSWER` takes a fresh interpreter, with one thread a product as a worker."""
    limits = {"DPCORE_CACHE": cache, "OMP_NUM_THREADS": "1"}
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", ANSWER],
        cwd=ROOT,
        env=os.environ | limits,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - started


def import_seconds() -> list[float]:
    """Seconds that `import dpcore` takes in a fresh interpreter."""
    code = "import time; t = time.perf_counter(); import dpcore; print(time.perf_counter() - t)"
    return [
        float(
            subprocess.run(
                [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(IMPORTS)
    ]


def worst_tenth(times: list[float]) -> float:
    """The 90th percentile."""
    return statistics.quantiles(times, n=10)[-1]


def measure() -> dict[str, float]:
    """All figures of this benchmark, in seconds or milliseconds as named, and ratios."""
    with sync_playwright() as playwright, TemporaryDirectory() as cache:
        cold_start(playwright, FLOOR, cache)  # a first start compiles; it is not counted
        with TemporaryDirectory() as other:
            cold_start(playwright, APP, other)
            alone = answer_seconds(f"{other}/alone")
        first = cold_start(playwright, APP, cache)
        starts = [
            (cold_start(playwright, FLOOR, cache), cold_start(playwright, APP, cache))
            for _ in range(STARTS)
        ]
        times = moves_in_turns(playwright)
    bare, ours = (statistics.median(times) for times in zip(*starts, strict=True))
    floor, tuned, explore = times["floor"], times["tuned"], times["explore"]
    return {
        "cold_start_floor_s": bare,
        "cold_start_to_first_chart_s": ours,
        "cold_start_ratio": ours / bare,
        "very_first_start_ratio": first / bare,
        "first_answer_alone_ratio": alone / bare,
        "epsilon_move_floor_median_ms": statistics.median(floor),
        "epsilon_move_median_ms": statistics.median(explore),
        "epsilon_move_median_ratio": statistics.median(explore) / statistics.median(floor),
        "epsilon_move_tuned_floor_median_ms": statistics.median(tuned),
        "epsilon_move_median_ratio_to_tuned": statistics.median(explore) / statistics.median(tuned),
        "epsilon_move_floor_p90_ms": worst_tenth(floor),
        "epsilon_move_p90_ms": worst_tenth(explore),
        "epsilon_move_p90_ratio": worst_tenth(explore) / worst_tenth(floor),
        "plan_move_median_ms": statistics.median(times["plan"]),
        "plan_move_p90_ms": worst_tenth(times["plan"]),
        "import_dpcore_s": statistics.median(import_seconds()),
    }


def measure_tabs() -> dict[str, float]:
    """Medians in milliseconds of the tabs on the clinic's measures, and ratios."""
    with sync_playwright() as playwright:
        times = tab_moves(playwright)
    figures = {}
    for tab, (floor, explore) in times.items():
        name = tab.lower().replace(" ", "_")
        bare, ours = statistics.median(floor), statistics.median(explore)
        figures |= {f"{name}_floor_ms": bare, f"{name}_ms": ours, f"{name}_ratio": ours / bare}
    return figures


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--tabs", action="store_true", help="time the clinic's tabs instead")
    chosen = parser.parse_args()
    if chromium() is None:
        raise SystemExit("Chromium is not installed.")
    figures = measure_tabs() if chosen.tabs else measure()
    if chosen.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:36s} {value:8.2f}")


if __name__ == "__main__":
    main()
