"""A class that moves ε: what one reader's browser and the server feel of forty.

Run: python -m benchmarks.load [--clients N]. Needs Chromium. One browser moves ε by keys while the
other clients, plain websockets, each let their ε rest at a random time once in ten seconds, and two
long jobs run. Told are the milliseconds from a key press to changed numbers in the browser, and
from an ε that rests to the open tab's answer, for all clients and for one alone, as ratios.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import sync_playwright  # noqa: E402
from streamlit.proto.BackMsg_pb2 import BackMsg  # noqa: E402
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg  # noqa: E402
from websockets.asyncio.client import ClientConnection, connect  # noqa: E402

from benchmarks.page import APP, VIEWPORT, drawn, epsilon_moves, trained  # noqa: E402
from tests.browser.server import CHROMIUM_SWITCHES, chromium, served  # noqa: E402

CLIENTS, EVERY, SECONDS = 39, 10.0, 60.0
"""Clients, seconds between two of a client's moves on average, and of the whole."""
LONG = "while True: sum(range(10_000_000))"
EPSILONS = (0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0)


class Client:
    """A session without a browser."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.box = self.fragment = ""

    async def open(self) -> None:
        """Run the page until its first answer is there, and find the number box of ε."""
        while not self.box:
            await self._run(BackMsg())
            await asyncio.sleep(0.5)

    async def rest(self, epsilon: float) -> float:
        """Milliseconds until the part of the page that follows ε has been drawn."""
        message = BackMsg()
        message.rerun_script.fragment_id = self.fragment
        state = message.rerun_script.widget_states.widgets.add()
        state.id, state.double_value = self.box, epsilon
        began = time.perf_counter()
        await self._run(message)
        return 1000.0 * (time.perf_counter() - began)

    async def _run(self, message: BackMsg) -> None:
        message.rerun_script.query_string = message.rerun_script.query_string or ""
        message.rerun_script.SetInParent()
        await self._socket.send(message.SerializeToString())
        while True:
            told = ForwardMsg.FromString(await self._socket.recv())  # type: ignore[arg-type]
            element = told.delta.new_element
            if element.WhichOneof("type") == "number_input" and "ε" in element.number_input.label:
                self.box, self.fragment = element.number_input.id, told.delta.fragment_id
            if told.WhichOneof("type") == "script_finished" and told.script_finished in (0, 3):
                return


async def moving(address: str, clients: int, seconds: float) -> list[float]:
    """Milliseconds of each ε that rested, of so many clients for so long."""
    times: list[float] = []
    stream = f"{address.replace('http', 'ws')}/_stcore/stream"

    async def one(chance: random.Random) -> None:
        async with connect(stream, subprotocols=["streamlit"], max_size=None) as socket:  # type: ignore[list-item]
            client = Client(socket)
            await client.open()
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                await asyncio.sleep(chance.uniform(0.0, 2.0 * EVERY if clients > 1 else 1.0))
                times.append(await client.rest(chance.choice(EPSILONS)))

    await asyncio.gather(*(one(random.Random(number)) for number in range(clients)))
    return times


def apart(address: str, clients: int, seconds: float) -> subprocess.Popen[str]:
    """The same in a process of its own, which prints the times."""
    call = f"moving({address!r}, {clients}, {seconds})"
    code = f"import asyncio; from benchmarks.load import moving; print(asyncio.run({call}))"
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def printed(process: subprocess.Popen[str]) -> list[float]:
    """The times that it prints at its end."""
    told, _ = process.communicate()
    return [float(each) for each in told.strip()[1:-1].split(",")]


def measure(clients: int) -> dict[str, float]:
    """All figures, in milliseconds, and ratios."""
    with served(APP) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_SWITCHES)
        page = browser.new_page(viewport=VIEWPORT)
        page.goto(address)
        drawn(page)
        trained(page)
        alone = printed(apart(address, 1, SECONDS / 3.0))
        jobs = [subprocess.Popen(["nice", "-n", "15", sys.executable, "-c", LONG]) for _ in "ab"]
        others = apart(address, clients, SECONDS)
        time.sleep(SECONDS / 6.0)
        keys = epsilon_moves(page, 60)
        all_of_them = printed(others)
        for job in jobs:
            job.kill()
        browser.close()

    def late(times: list[float]) -> float:
        return statistics.quantiles(times, n=20)[-1]

    return {
        "key_to_numbers_median_ms": statistics.median(keys),
        "key_to_numbers_p95_ms": late(keys),
        "rest_alone_median_ms": statistics.median(alone),
        "rest_alone_p95_ms": late(alone),
        "rest_of_all_median_ms": statistics.median(all_of_them),
        "rest_of_all_p95_ms": late(all_of_them),
        "median_ratio": statistics.median(all_of_them) / statistics.median(alone),
        "p95_ratio": late(all_of_them) / late(alone),
        "rests": float(len(all_of_them)),
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    for name, value in measure(parser.parse_args().clients).items():
        print(f"{name:28s} {value:8.2f}")


if __name__ == "__main__":
    main()
