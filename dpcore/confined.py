"""Process untrusted input in a separate process, with limits of memory and of time.

A file of a few kilobytes can require gigabytes or minutes. Such a file is refused in one sentence,
and leaves nothing behind: the process ends, with all its data. The data stay in the process between
two calls, so that records never share a process with another user's.
"""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO, Any

from dpcore.errors import Cancelled, InvalidInput
from dpcore.words import as_set, spaced

ORPHAN_SECONDS = 1.0  # between two checks that the parent process still runs
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
MEGABYTE = 1_000_000
# Arrow's usual allocator reserves a gigabyte of addresses at once, and the system's 64 MB for each
# thread: they count by the limit.
ALLOCATOR = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1"}


class Confined:
    """A process that runs one call after another."""

    def __init__(self, megabytes: int, libraries: Sequence[str] = ()) -> None:
        self.megabytes = megabytes
        self._libraries = tuple(libraries)
        self._one_at_a_time = threading.Lock()
        self._closed = False
        self.begun = 0
        """How often the process was started; it starts without data."""
        self._process = self._begin()

    def _begin(self) -> subprocess.Popen[bytes]:
        self.begun += 1
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(self.megabytes), *self._libraries],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # A library's warnings may contain its input.
            stderr=subprocess.DEVNULL,
            env=os.environ
            | dict.fromkeys(THREADS, "1")
            | ALLOCATOR
            | {"PYTHONPATH": os.pathsep.join(sys.path)},
            start_new_session=True,
        )
        self._end = weakref.finalize(self, _end, process)
        return process

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, what: str, call: Callable[..., Any], *given: object, seconds: float) -> Any:
        """The result of `call(*given)` in the process."""
        late = threading.Event()

        def too_late() -> None:
            late.set()
            self._process.kill()

        with self._one_at_a_time:
            if self._closed:
                raise Cancelled
            timer = threading.Timer(seconds, too_late)
            timer.daemon = True
            timer.start()
            try:
                _send(self._process.stdin, (call, given))
                answered, answer = _receive(self._process.stdout)
            except (OSError, EOFError, pickle.UnpicklingError, ValueError):
                if self._closed:
                    raise Cancelled from None
                self._end()
                self._process = self._begin()
                limit = (
                    f"{as_set(seconds)} seconds"
                    if late.is_set()
                    else f"{spaced(self.megabytes)} MB"
                )
                raise InvalidInput(
                    f"{what} took more than {limit}, the most that is allowed."
                ) from None
            except Exception:
                # What is left of an answer that cannot be read would be read as the next one.
                self._end()
                self._process = self._begin()
                raise
            finally:
                timer.cancel()
        if answered:
            return answer
        too_much = f"{what} took more than {spaced(self.megabytes)} MB, the most that is allowed."
        raise answer or InvalidInput(too_much)

    def close(self) -> None:
        """End the process at once, with all its data."""
        self._closed = True
        self._end()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # for data that were never sent
                pipe.close()
    process.wait()


def _send(pipe: IO[bytes] | None, message: object) -> None:
    assert pipe is not None
    pickle.dump(message, pipe, protocol=5)
    pipe.flush()


def _receive(pipe: IO[bytes] | None) -> tuple[bool, Any]:
    assert pipe is not None
    answer: tuple[bool, Any] = pickle.load(pipe)
    return answer


def serve(megabytes: int, libraries: Sequence[str]) -> None:
    """In the process: run calls until the parent closes the pipe."""
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library's output must not be read as an answer
    end_with(os.getppid())
    for name in libraries:
        importlib.import_module(name)
    _limit(megabytes)
    while True:
        try:
            call, arguments = pickle.load(questions)
        except EOFError:
            return
        except MemoryError:
            os._exit(1)
        answer: tuple[bool, Any]
        try:
            answer = True, call(*arguments)
        except InvalidInput as refusal:
            answer = False, refusal.with_traceback(None)
        except MemoryError:
            answer = False, None
        except Exception as error:
            answer = False, InvalidInput(f"It could not be done ({type(error).__name__}).")
        del call, arguments
        _send(answers, answer)
        del answer


def _limit(megabytes: int) -> None:
    try:
        import resource
    except ImportError:
        return
    used = 0
    with suppress(OSError), open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    limit = used + megabytes * MEGABYTE
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no copy of the memory on the disk


def end_with(parent: int) -> None:
    """End this process when its parent has ended, for whatever reason, even during a call."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(ORPHAN_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2:])
