"""A real server of the page on a free port, in a process of its own, and a real Chromium."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM_SWITCHES = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]
"""What a browser of a test or of a benchmark leaves out, because no reader is there."""
HASTY_SWITCHES = [
    *CHROMIUM_SWITCHES,
    # Without a graphics card, drawing through one in software takes the processor twice.
    "--disable-gpu",
    # A process less to hand every picture to: a visit takes three quarters of the processor's time.
    "--in-process-gpu",
    # Optimising a page's code, and collecting its garbage in small parts by several threads, takes
    # longer than the page lives: a visit takes three quarters.
    "--js-flags=--no-maglev --no-turbofan --single-threaded-gc --min-semi-space-size=32",
]
"""Those of a test, where no speed is measured."""
START_SECONDS = 60.0


def chromium():
    """The path of an installed Chromium, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        result = shutil.which(name)
        if result:
            return result
    return None


def free_port():
    """A port that nothing listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class Server:
    """A server that runs.

    Parameters
    ----------
    address : str
        Of its first page.
    port : int
    pid : int
    cache : Path
        Where results go; thrown away.
    log : Path
        What it has printed; thrown away.
    """

    address: str
    port: int
    pid: int
    cache: Path
    log: Path


@contextmanager
def served(script="app.py", **environment):
    """Run the page; its address. Results of training go to a folder that is thrown away."""
    with running(script, **environment) as server:
        yield server.address


@contextmanager
def running(script="app.py", **environment):
    """Run the page by the README's command from the repository root, on a free port."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as cache, tempfile.NamedTemporaryFile() as log:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "streamlit", "run", script),
                *("--server.port", str(port)),
            ],
            cwd=ROOT,
            env=os.environ | {"DPCORE_CACHE": cache} | environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_until_healthy(process, address)
            yield Server(address, port, process.pid, Path(cache), Path(log.name))
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_until_healthy(process, address):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server stopped with code {process.returncode}")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError("the server did not answer in time")
