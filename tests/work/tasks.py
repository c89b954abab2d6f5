"""Small tasks for the tests of jobs; workers import them from here."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass

import pandas as pd

from dpcore.errors import Cancelled, InvalidInput
from dpcore.work.task import Outcome, digest


def stops_after(calls):
    """Whether work is cancelled: not at its first calls, and then for good."""
    left = iter([False] * calls)
    return lambda: next(left, True)


@dataclass(frozen=True)
class Counting:
    """Counts, slowly if need be, and gives a row for each number."""

    upto: int = 3
    seconds: float = 0.0
    name: str = ""
    dies: bool = False
    is_long: bool = False

    @property
    def key(self):
        return digest(asdict(self))

    @property
    def title(self):
        return f"Counting to {self.upto}"

    def run(self, context):
        rows = pd.DataFrame(columns=["number", "square"])
        for number in range(self.upto):
            if context.cancelled():
                raise Cancelled
            if self.dies:
                os._exit(1)
            time.sleep(self.seconds)
            rows.loc[number] = [number, number**2]
            context.report((number + 1) / self.upto, f"number {number}")
            context.partial(rows)
        return Outcome(rows, {"note.txt": self.name.encode()})


@dataclass(frozen=True)
class Resuming(Counting):
    """Counts on from the last number that was kept; it may come to one that can't be counted."""

    fails_at: int | None = None

    def run(self, context):
        rows = pd.DataFrame({"number": range(int(context.state or 0))})
        for number in range(len(rows), self.upto):
            if number == self.fails_at:
                raise InvalidInput(f"{number} can't be counted.")
            rows.loc[number] = [number]
            context.keep(str(len(rows)).encode())
            context.partial(rows)
            context.report(number / self.upto, f"number {number}")
            if context.cancelled():
                raise Cancelled
            time.sleep(self.seconds)
        return Outcome(rows)
