"""Work on what strangers hand in: in a process of its own, with limits of memory and of time.

A file of a few kilobytes can ask for gigabytes or minutes. Whatever it asks for here is refused in
one sentence, and leaves nothing: the process, and all that it holds, ends. What it holds stays
there between two questions, so that records never have to be where others' are.
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

ORPHAN_SECONDS = 1.0  # between two looks at whether the process that asks is still there
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
MEGABYTE = 1_000_000


class Confined:
    """A process that answers one question after another.

    Parameters
    ----------
    megabytes : int
        What it may take beyond what Python and the libraries take.
    libraries : sequence of str
        Modules that are loaded before the limit is set.
    """

    def __init__(self, megabytes: int, libraries: Sequence[str] = ()) -> None:
        self.megabytes = megabytes
        self._libraries = tuple(libraries)
        self._one_at_a_time = threading.Lock()
        self._closed = False
        self.begun = 0
        """How often it was begun; each time it holds nothing."""
        self._process = self._begin()

    def _begin(self) -> subprocess.Popen[bytes]:
        self.begun += 1
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(self.megabytes), *self._libraries],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # A library's warnings may repeat what it was given.
            stderr=subprocess.DEVNULL,
            env=os.environ
            | dict.fromkeys(THREADS, "1")
            | {"PYTHONPATH": os.pathsep.join(sys.path)},
            start_new_session=True,
        )
        self._end = weakref.finalize(self, _end, process)
        return process

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def ask(self, what: str, call: Callable[..., Any], *given: object, seconds: float) -> Any:
        """What `call(*given)` returns there.

        Parameters
        ----------
        what : str
            Begins the sentence for what takes too long or too much, such as "Reading 'a.csv'".
        call : callable
            A function of a module.
        given : objects
        seconds : float
            It is ended after so many.

        Raises
        ------
        InvalidInput
            What the call raised, or that it took too much; then whatever was held there is gone.
        Cancelled
            If it was closed meanwhile.
        """
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
                limit = f"{seconds:g} seconds" if late.is_set() else f"{self.megabytes:,} MB"
                raise InvalidInput(
                    f"{what} took more than {limit}, the most that is allowed."
                ) from None
            finally:
                timer.cancel()
        if answered:
            return answer
        too_much = f"{what} took more than {self.megabytes:,} MB, the most that is allowed."
        raise InvalidInput(answer or too_much)

    def close(self) -> None:
        """End it at once, and all that it holds."""
        self._closed = True
        self._end()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for line in (process.stdin, process.stdout):
        if line is not None:
            with suppress(OSError):  # what was never sent
                line.close()
    process.wait()


def _send(line: IO[bytes] | None, what: object) -> None:
    assert line is not None
    pickle.dump(what, line, protocol=5)
    line.flush()


def _receive(line: IO[bytes] | None) -> tuple[bool, Any]:
    assert line is not None
    answer: tuple[bool, Any] = pickle.load(line)
    return answer


def serve(megabytes: int, libraries: Sequence[str]) -> None:
    """In the process: answer what is asked until nobody asks any more."""
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    for name in libraries:
        importlib.import_module(name)
    _limit(megabytes)
    while True:
        try:
            call, given = pickle.load(questions)
        except EOFError:
            return
        except MemoryError:
            os._exit(1)
        answer: tuple[bool, Any]
        try:
            answer = True, call(*given)
        except InvalidInput as refusal:
            answer = False, str(refusal)
        except MemoryError:
            answer = False, ""
        except Exception as error:
            answer = False, f"It could not be done ({type(error).__name__})."
        del call, given
        _send(answers, answer)
        del answer


def _limit(megabytes: int) -> None:
    """From here on no more than so much, where the system knows such limits."""
    try:
        import resource
    except ImportError:
        return
    taken = 0
    with suppress(OSError), open("/proc/self/statm") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    most = taken + megabytes * MEGABYTE
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # nor a copy of it on the disk


def _end_with(parent: int) -> None:
    """End when the process that asks has ended, however it did, also in the midst of an answer."""
    while os.getppid() == parent:
        time.sleep(ORPHAN_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2:])
