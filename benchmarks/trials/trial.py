"""Runs one trial in a process of its own, with limits, and records its outcome."""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Limits:
    """Limits of one trial.

    Parameters
    ----------
    seconds : float
        By the clock; a trial that needs more is stopped and counted as slow, not as failed.
    mebibytes : int
        Of memory beyond what the process began with. Four times as much address space is all that
        there is: libraries set more of it aside than they use.
    """

    seconds: float = 20.0
    mebibytes: int = 2_048


@dataclass(frozen=True)
class TrialOutcome:
    """Outcome of one trial.

    Parameters
    ----------
    code : int or None
        Exit code; ``None`` where it was stopped for its time.
    out, err : str
    mebibytes : float
        Rise of its resident memory above that of its parent process.
    """

    code: int | None
    out: str
    err: str
    mebibytes: float


@dataclass
class Tally:
    """Counts of verdicts, and the trials that failed."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)
    most_mebibytes: float = 0.0

    def note(self, name: str, verdict: str, fault: str = "", mebibytes: float = 0.0) -> None:
        """Count one trial; `fault` is empty where nothing is wrong."""
        self.counts["failed" if fault else verdict] += 1
        if fault:
            self.failures.append((name, fault))
            print(f"{name}\n    {fault}", file=sys.stderr, flush=True)
        self.most_mebibytes = max(self.most_mebibytes, mebibytes)


def run_in_fork(work: Callable[[], int], limits: Limits) -> TrialOutcome:
    """Run `work()` in a fork of this process; returns its exit code and output."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            _child(work, out.fileno(), err.fileno(), writer, limits)
        os.close(writer)
        code = _exit_code(child, limits.seconds)
        with os.fdopen(reader) as answer:
            growth = float(answer.read() or 0.0)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read(1_000_000).decode(errors="replace"))
        if growth > limits.mebibytes and code in (0, 2):
            code, texts[1] = 71, f"it took {growth:.0f} MiB"
        return TrialOutcome(code, *texts, growth)


def _child(work: Callable[[], int], out: int, err: int, writer: int, limits: Limits) -> None:
    code, before = 70, memory("VmRSS")
    try:
        os.setpgid(0, 0)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        room = _address_space() + 4 * limits.mebibytes * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**26, 2**26))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        code = work()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 1
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(writer, f"{memory('VmHWM') - before:.1f}".encode())
        os._exit(code)


def _exit_code(child: int, seconds: float) -> int | None:
    """The exit code; ``None``, with the process group killed, if it takes too long."""
    descriptor = os.pidfd_open(child)
    try:
        ready, _, _ = select.select([descriptor], [], [], seconds)
    finally:
        os.close(descriptor)
    if not ready:
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) if ready else None


def _address_space() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def memory(what: str) -> float:
    """MiB of this process: current ("VmRSS") or peak ("VmHWM")."""
    with open("/proc/self/status") as file:
        entry = next((line for line in file if line.startswith(f"{what}:")), "0 0")
    return int(entry.split()[1]) / 1024


def print_progress(total: int, what: str, started: float, done: int) -> None:
    """Print the progress every 50 trials."""
    if done % 50 == 0 or done == total:
        duration = time.monotonic() - started
        print(f"{what}: {done:,} of {total:,}, {duration:.0f} s", file=sys.stderr, flush=True)
