"""Load of a class: forty phones that join at once, and guess at once, on one server.

Run: python -m benchmarks.classroom [--phones N] [--json]. Each phone is a connection that speaks as
a browser does, and draws nothing: the figures are the server's. A guess counts as seen once the
presenter's chart holds the dots of all.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from streamlit.proto.BackMsg_pb2 import BackMsg  # noqa: E402
from streamlit.proto.Element_pb2 import Element  # noqa: E402
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg  # noqa: E402
from websockets.asyncio.client import connect  # noqa: E402

from tests.browser.server import running  # noqa: E402

PHONES = 40
OPEN, SHOW = "learn_open", "learn_show"
SLIDER = "learn guess 1 1"
PATIENCE = 60.0
"""Seconds in which all must be there."""


class Visitor:
    """One session: what its page holds, and the time at which its last run has ended."""

    def __init__(self, port: int) -> None:
        self.address = f"ws://127.0.0.1:{port}/_stcore/stream"
        self.widgets: dict[str, str] = {}
        self.script = ""
        self.said = ""
        self.runs = 0
        self._polls: dict[str, asyncio.Task[None]] = {}
        self._query = ""

    async def open(self, **link: str) -> None:
        """Go to Learn by a link, and wait until it is drawn."""
        self._query = urlencode(link)
        self.connection = await connect(
            self.address, subprotocols=["streamlit"], max_size=None, ping_interval=None
        )
        self._reader = asyncio.create_task(self._read())
        await self.run(page="learn")

    async def run(self, page: str = "", **states: Any) -> float:
        """Ask for a run with these widgets set; returns the seconds until it has ended."""
        message, before, started = BackMsg(), self.runs, time.perf_counter()
        message.rerun_script.query_string = self._query
        message.rerun_script.page_name = page
        message.rerun_script.page_script_hash = self.script
        for key, value in states.items():
            widget = message.rerun_script.widget_states.widgets.add(id=self.widgets[key])
            if isinstance(value, bool):
                widget.trigger_value = value
            else:
                widget.double_array_value.data.append(value)
        await self.connection.send(message.SerializeToString())
        await self.until(lambda: self.runs > before)
        return time.perf_counter() - started

    async def _poll(self, fragment: str, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            message = BackMsg()
            message.rerun_script.query_string = self._query
            message.rerun_script.page_script_hash = self.script
            message.rerun_script.fragment_id = fragment
            message.rerun_script.is_auto_rerun = True
            await self.connection.send(message.SerializeToString())

    async def until(self, condition: Any) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await asyncio.sleep(0.005)

    async def close(self) -> None:
        self._stop_polling()
        self._reader.cancel()
        await self.connection.close()

    def _stop_polling(self) -> None:
        for task in self._polls.values():
            task.cancel()
        self._polls = {}

    async def _read(self) -> None:
        async for data in self.connection:
            message = ForwardMsg()
            message.ParseFromString(data if isinstance(data, bytes) else data.encode())
            kind = message.WhichOneof("type")
            if kind == "new_session":
                if not message.metadata.run.fragment_ids:
                    self._stop_polling()
                    self.said = ""
            elif kind == "script_finished":
                self.runs += message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
            elif kind == "navigation":
                self.script = message.navigation.page_script_hash
            elif kind == "page_info_changed":
                self._query = message.page_info_changed.query_string
            elif kind == "auto_rerun":
                again = message.auto_rerun
                self._polls[again.fragment_id] = asyncio.create_task(
                    self._poll(again.fragment_id, again.interval)
                )
            elif kind == "delta":
                self._note(message.delta.new_element)

    def _note(self, element: Element) -> None:
        kind = element.WhichOneof("type")
        part = getattr(element, kind) if kind else None
        identity = getattr(part, "id", "")
        if identity:
            self.widgets[identity.split("-", 2)[2]] = identity
        if kind == "markdown":
            self.said += element.markdown.body
        if kind == "metric":
            self.said += f"{element.metric.label}: {element.metric.body}."


async def measured(port: int, phones: int) -> dict[str, float]:
    """Figures of one class, in milliseconds."""
    host = Visitor(port)
    await host.open()
    await host.run(**{OPEN: True})
    code = host.said.partition("Class code: ")[2].partition(".")[0]
    room = [Visitor(port) for _ in range(phones)]

    async def timed(work: Coroutine[Any, Any, object]) -> float:
        started = time.perf_counter()
        await work
        return time.perf_counter() - started

    joined = await asyncio.gather(*(timed(phone.open(class_code=code)) for phone in room))
    moved = await asyncio.gather(*(phone.run(**{SLIDER: 60.0}) for phone in room))
    started = time.perf_counter()
    sent = await asyncio.gather(*(phone.run(**{SLIDER: 60.0, SHOW: True}) for phone in room))
    await host.until(lambda: f"{phones} phones have guessed" in host.said)
    seen = time.perf_counter() - started
    runs = [phone.runs for phone in room]
    started = time.perf_counter()
    await host.run(**{SHOW: True})
    for phone, before in zip(room, runs, strict=True):
        await phone.until(lambda phone=phone, before=before: phone.runs > before)
    shown = time.perf_counter() - started
    for visitor in (host, *room):
        await visitor.close()
    result = {}
    for name, seconds in {"join": joined, "move": moved, "send": sent}.items():
        result[f"{name}_median_ms"] = 1000.0 * statistics.median(seconds)
        result[f"{name}_slowest_ms"] = 1000.0 * max(seconds)
    return result | {"all_seen_ms": 1000.0 * seen, "all_shown_ms": 1000.0 * shown}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phones", type=int, default=PHONES)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    with running() as server:
        asyncio.run(measured(server.port, 2))  # a first visit loads; it is not counted
        figures = asyncio.run(measured(server.port, chosen.phones))
    if chosen.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:20s} {value:9.1f}")


if __name__ == "__main__":
    main()
