"""How long this machine's workers took for jobs lately, to tell how long a waiting one takes."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from dpcore.evaluation.executors import IN_SIGHT, Kind
from dpcore.evaluation.task import Task
from dpcore.settings import SCHEDULER

REMEMBERED = 8
"""Number of jobs of a kind whose mean time is told."""
MIN_SHARE = 0.02
"""Share of a running job from which its own pace tells the rest."""

_seconds: dict[str, deque[float]] = {}
_freed: dict[Kind, float] = {}
"""When each worker was free last, by its jobs."""
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Wait:
    """When a job was handed in, the function that works on it, and whose worker does it."""

    work: str
    since: float = field(default_factory=time.monotonic)
    kind: Kind = IN_SIGHT

    def ended(self, *, finished: bool) -> None:
        """Note that its worker is free again, and how long the job took if it is finished."""
        with _one_at_a_time:
            now = time.monotonic()
            if finished:
                times = _seconds.setdefault(self.work, deque(maxlen=REMEMBERED))
                times.append(now - self.begun)
            _freed[self.kind] = now

    @property
    def begun(self) -> float:
        """When its worker began with it, or will have, if it is the next."""
        return max(self.since, _freed.get(self.kind, 0.0))


def of(task: Task, *, is_sweep: bool = False) -> Wait:
    """The wait of a task that is handed in now."""
    work = getattr(task, "work", type(task))
    kind = Kind(task.is_long, is_sweep)
    return Wait(f"{work.__module__}.{work.__qualname__}", kind=kind)


def seconds(ahead: Iterable[tuple[Wait, float]]) -> float | None:
    """About how long these jobs still take together, as one worker does them one by one."""
    if SCHEDULER.text:
        return None
    total = 0.0
    for place, (wait, share) in enumerate(ahead):
        elapsed = 0.0 if place else time.monotonic() - wait.begun
        if share >= MIN_SHARE:
            total += elapsed * (1.0 - share) / share
        elif times := _seconds.get(wait.work):
            total += max(0.0, sum(times) / len(times) - elapsed)
        else:
            return None
    return total
