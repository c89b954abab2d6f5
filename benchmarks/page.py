"""How fast the pages are: cold start to a chart, an ε move, a σ move, and `import dpcore`.

Run: python benchmarks/page.py [--json]. Needs Chromium. Times are taken in the browser, from the
key press to the changed text, on the machine that also runs the server.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Page, sync_playwright  # noqa: E402

from tests.browser.server import CHROMIUM_SWITCHES, chromium, served  # noqa: E402

STARTS = 5
MOVES = 30
IMPORTS = 5

# Notes the time of each key press and of each change of the big numbers' text.
WATCH = """() => {
  const numbers = () => [...document.querySelectorAll('[data-testid=stMetricValue]')]
    .map((element) => element.innerText).join('|');
  let last = numbers(), pressed = null;
  window.delays = [];
  window.addEventListener('keydown', () => { pressed = performance.now(); }, true);
  new MutationObserver(() => {
    const now = numbers();
    if (now !== last) {
      last = now;
      if (pressed !== null) { window.delays.push(performance.now() - pressed); pressed = null; }
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def drawn(page: Page) -> None:
    """Wait until the first chart has lines."""
    page.wait_for_selector(".js-plotly-plot .scatterlayer .trace path", state="attached")


def epsilon_moves(page: Page) -> list[float]:
    """Milliseconds from key press to changed numbers, `MOVES` times."""
    page.get_by_role("slider", name="Privacy loss ε").focus()
    page.evaluate(WATCH)
    for move in range(MOVES):
        page.keyboard.press("ArrowLeft" if move % 10 < 5 else "ArrowRight")
        page.wait_for_function("count => window.delays.length > count", arg=move, timeout=10_000)
        # Let the small figures settle, as a person does who looks at each step.
        page.wait_for_timeout(400)
    return list(page.evaluate("window.delays"))


# Notes the same for the number by Rényi accounting, and for the certified one that follows it.
WATCH_PLAN = """() => {
  const number = (label) => {
    const metric = [...document.querySelectorAll('[data-testid=stMetric]')]
      .find((element) => element.innerText.startsWith(label));
    return metric ? metric.querySelector('[data-testid=stMetricValue]').innerText.trim() : '';
  };
  const labels = { renyi: 'ε by Rényi', pld: 'ε by PLD' };
  const last = {}, waiting = {};
  window.plan = { renyi: [], pld: [] };
  for (const key in labels) last[key] = number(labels[key]);
  let pressed = 0;
  window.addEventListener('keydown', () => {
    pressed = performance.now();
    for (const key in labels) waiting[key] = true;
  }, true);
  new MutationObserver(() => {
    for (const key in labels) {
      const now = number(labels[key]);
      if (now === last[key] || now === '' || now === '…') continue;
      last[key] = now;
      if (waiting[key]) { window.plan[key].push(performance.now() - pressed); }
      waiting[key] = false;
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def plan_moves(page: Page, address: str) -> tuple[list[float], list[float]]:
    """Milliseconds from key press to the numbers by Rényi and by PLD, `MOVES` times."""
    page.goto(f"{address}/plan")
    drawn(page)
    page.wait_for_timeout(2000)
    page.get_by_role("spinbutton", name="First noise σ₀").focus()
    page.evaluate(WATCH_PLAN)
    for move in range(MOVES):
        page.keyboard.press("ArrowUp")
        page.wait_for_function("count => window.plan.pld.length > count", arg=move, timeout=10_000)
        # As with ε: let the chart settle.
        page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
        page.wait_for_timeout(400)
    return list(page.evaluate("window.plan.renyi")), list(page.evaluate("window.plan.pld"))


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


def measure() -> dict[str, float]:
    """All figures of this benchmark, in seconds or milliseconds as named."""
    browser_path = chromium()
    if browser_path is None:
        raise SystemExit("Chromium is not installed.")
    listening, charted = [], []
    with sync_playwright() as playwright:
        for start in range(STARTS):
            # A new browser each time: nothing of the page is in its cache.
            browser = playwright.chromium.launch(
                executable_path=browser_path, args=CHROMIUM_SWITCHES
            )
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            started = time.perf_counter()
            with served() as address:
                listening.append(time.perf_counter() - started)
                page.goto(address)
                drawn(page)
                charted.append(time.perf_counter() - started)
                if start == STARTS - 1:
                    # The trained curve arrives in the background; it must not disturb.
                    page.wait_for_selector(
                        "text=in the background", state="detached", timeout=120_000
                    )
                    page.wait_for_timeout(1500)
                    delays = epsilon_moves(page)
                    renyi, pld = plan_moves(page, address)
            browser.close()
    return {
        "server_listening_s": statistics.median(listening),
        "cold_start_to_first_chart_s": statistics.median(charted),
        "cold_start_slowest_s": max(charted),
        "epsilon_move_median_ms": statistics.median(delays),
        "epsilon_move_worst_ms": max(delays),
        "plan_move_median_ms": statistics.median(renyi),
        "plan_move_worst_ms": max(renyi),
        "plan_pld_follows_median_ms": statistics.median(pld),
        "plan_pld_follows_worst_ms": max(pld),
        "import_dpcore_s": statistics.median(import_seconds()),
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    figures = measure()
    if parser.parse_args().json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:32s} {value:8.2f}")


if __name__ == "__main__":
    main()
