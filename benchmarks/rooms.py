"""Count the project's files that the server enters once ε rests: `python -m benchmarks.rooms`.

Needs Chromium. Calls into the project's files are followed in their order: a call into another file
than the last one enters it, or returns to it where it was entered before. Widgets' callbacks and
the fragment of ε are in it, the browser's part is not. The first visitor at a stop has its links
worded, which later ones find.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
INSIDE = tuple(f"{ROOT / name}{os.sep}" for name in ("dpcore", "pages"))
REST = 3.0
"""Seconds after which the page has drawn what follows from a move."""


def serve(port: str, file: str) -> None:
    """Serve the page, and write down at each SIGUSR1 which files were entered since the last."""
    entered: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if event != "call" or not name.startswith(INSIDE):
            return
        name = str(Path(name).relative_to(ROOT))
        if entered[-1:] != [name]:
            entered.append(name)

    def tell(*_: object) -> None:
        Path(file).write_text(json.dumps(entered), "utf-8")
        entered.clear()

    signal.signal(signal.SIGUSR1, tell)
    threading.setprofile(lambda *event: note(*event) if _draws_page() else None)
    sys.argv = ["streamlit", "run", "app.py", "--server.port", port]
    runpy.run_module("streamlit", run_name="__main__")


def _draws_page() -> bool:
    return threading.current_thread().name.startswith("ScriptRunner")


def main() -> None:
    """Move ε in a browser, and print what each move entered."""
    from playwright.sync_api import sync_playwright

    from benchmarks.page import drawn, trained
    from tests.browser.server import CHROMIUM_SWITCHES, chromium, free_port, wait_until_healthy

    port = free_port()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "entered.json"
        server = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.rooms", str(port), str(file)],
            cwd=ROOT,
            env={"DPCORE_CACHE": folder} | os.environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

        def since_last() -> list[str]:
            file.unlink(missing_ok=True)
            server.send_signal(signal.SIGUSR1)
            while not file.exists() or not file.read_text("utf-8"):
                time.sleep(0.05)
            return list(json.loads(file.read_text("utf-8")))

        try:
            wait_until_healthy(server, f"http://127.0.0.1:{port}")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=chromium(), args=CHROMIUM_SWITCHES
                )
                page = browser.new_page()
                page.set_default_timeout(300_000)
                page.goto(f"http://127.0.0.1:{port}")
                drawn(page)
                trained(page)
                moves = {}
                page.get_by_role("slider", name="Privacy loss ε").first.focus()
                rests = {
                    "first at a stop": "ArrowRight",
                    "back": "ArrowLeft",
                    "again at that stop": "ArrowRight",
                }
                for rest, key in rests.items():
                    since_last()
                    page.keyboard.press(key)
                    page.wait_for_timeout(REST * 1000.0)
                    moves[rest] = since_last()
                browser.close()
        finally:
            server.terminate()
            server.wait(timeout=10)
    for move, entered in moves.items():
        files = dict.fromkeys(entered)
        print(f"{move}: {len(files)} files entered, {len(entered) - len(files)} returns")
        print(*(f"  {name}" for name in entered), sep="\n")


if __name__ == "__main__":
    serve(*sys.argv[1:]) if len(sys.argv) > 1 else main()
