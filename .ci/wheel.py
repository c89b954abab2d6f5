"""Build the wheel, and start both of its commands from a clean environment and an empty folder.

It first gets what the wheel asks for, in the versions of `requirements.txt`, and has neither torch
nor Streamlit; then the packages of the environment that runs this are lent to it.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
import urllib.error
import urllib.request
import venv
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 120.0


def run(*command: object, where: Path, status: int = 0) -> str:
    """The output of a command that ends with the status; the environment names no other package."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=where,
        env={name: text for name, text in os.environ.items() if name != "PYTHONPATH"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != status:
        raise SystemExit(f"{command} ended with {done.returncode}, not {status}:\n{done.stdout}")
    return done.stdout


def status_of(address: str, host: str) -> int:
    """The status with which the server answers to the name."""
    request = urllib.request.Request(address, headers={"Host": host})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        return refusal.code


def serve_once(command: Path, where: Path) -> None:
    """Start the app, ask for its page by this machine's name and by another, and end it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen([command, "--server.port", str(port)], cwd=where)
    try:
        deadline, status = time.monotonic() + START_SECONDS, 0
        while not status and server.poll() is None and time.monotonic() < deadline:
            with suppress(OSError):
                status = status_of(f"http://127.0.0.1:{port}/", "localhost")
            time.sleep(0.2)
        assert status == 200, f"the app answered {status}"
        # As .streamlit/config.toml of the wheel says.
        assert status_of(f"http://127.0.0.1:{port}/", "elsewhere.example") == 400
    finally:
        server.terminate()
        server.wait(timeout=30)


def main() -> None:
    """Check the wheel of the working tree."""
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) / "empty"
        where.mkdir()
        pip = (sys.executable, "-m", "pip", "--quiet")
        run(*pip, "wheel", "--no-deps", "--wheel-dir", folder, ROOT, where=where)
        (wheel,) = Path(folder).glob("*.whl")
        clean = Path(folder) / "clean"
        venv.create(clean, symlinks=True)
        commands, pins = clean / "bin", ROOT / "requirements.txt"
        asked = ("install", "--no-compile", "--constraint", pins, wheel)
        run(*pip, "--python", commands / "python", *asked, where=where)

        sigma = ("sigma", "--epsilon", "1", "--delta", "1e-5", "--sensitivity", "1")
        assert "3.7306" in run(commands / "dpcore", *sigma, where=where)
        train = ("train", "--dataset", "digits", "--epsilon", "3", "--epochs", "1")
        assert "[networks]" in run(commands / "dpcore", *train, where=where, status=2)
        app = commands / "epsilon-explorer"
        assert "[app]" in run(app, where=where, status=2)

        (packages,) = clean.glob("lib/python*/site-packages")
        (packages / "lent.pth").write_text(sysconfig.get_path("purelib"))
        serve_once(app, where)


if __name__ == "__main__":
    main()
