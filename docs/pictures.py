"""Make the README's pictures anew: a still one, and a short one of ε that is dragged.

Run: python -m docs.pictures. Needs Chromium.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from PIL import Image  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from benchmarks.page import APP, drawn, trained  # noqa: E402
from tests.browser.server import CHROMIUM_SWITCHES, chromium, served  # noqa: E402

STILL, MOVING = ROOT / "docs" / "screenshot.png", ROOT / "docs" / "drag.webp"
SIZE, SHOWN = (1280, 800), (1024, 640)
STEPS = 13
"""Stops to the left of ε = 1, and back."""
MILLISECONDS = 260


def main() -> None:
    """Write both pictures."""
    with served(APP) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_SWITCHES)
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
        page.goto(address)
        drawn(page)
        trained(page)
        page.screenshot(path=STILL)
        slider = page.get_by_role("slider", name="Privacy loss ε").first
        slider.focus()
        frames = []
        for key in ("ArrowLeft", "ArrowRight"):
            for _ in range(STEPS):
                page.keyboard.press(key)
                page.wait_for_timeout(60)
                frames.append(Image.open(io.BytesIO(page.screenshot())).resize(SHOWN))
        browser.close()
    first, *others = frames
    first.save(
        MOVING,
        save_all=True,
        append_images=others,
        duration=MILLISECONDS,
        loop=0,
        quality=55,
        method=6,
    )
    print(f"{STILL.name}: {STILL.stat().st_size:,} bytes; {MOVING.name}: {MOVING.stat().st_size:,}")


if __name__ == "__main__":
    main()
