"""Work in a process of its own: what it answers, and how it ends when it takes too much."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from dpcore.confined import Confined
from dpcore.errors import Cancelled, InvalidInput

PATIENCE = 60.0


@pytest.fixture
def process():
    begun = Confined(300, ["numpy"])
    yield begun
    begun.close()


def runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def wait_for(what):
    deadline = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow("starts confined processes")
def test_it_answers_one_question_after_another(process):
    answers = [process.ask("Adding", sum, [1, 2], seconds=PATIENCE) for _ in range(2)]
    assert answers == [3, 3]
    assert process.ask("Asking", os.getpid, seconds=PATIENCE) == process.pid != os.getpid()


@pytest.mark.slow("starts confined processes")
def test_a_refusal_is_its_own_sentence(process):
    from dpcore.datasets import read_upload

    with pytest.raises(InvalidInput, match="is built in and takes no file"):
        process.ask("Reading", read_upload, "breast_cancer", b"1", "a.csv", seconds=PATIENCE)
    with pytest.raises(InvalidInput, match=r"^It could not be done \(TypeError\)\.$"):
        process.ask("Adding", sum, 1, seconds=PATIENCE)


class Unreadable:
    """An object that its pickle does not bring back, with more behind it."""

    def __reduce__(self):
        return len, (3,), {"more": "x" * 100_000}


@pytest.mark.slow("starts confined processes")
def test_an_answer_that_cannot_be_read_is_not_read_as_the_next_one(process):
    with pytest.raises(TypeError):
        process.ask("Making", Unreadable, seconds=PATIENCE)
    assert process.ask("Adding", sum, [1, 2], seconds=PATIENCE) == 3
    assert process.begun == 2


@pytest.mark.slow("starts confined processes")
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks into /proc")
def test_it_never_takes_more_than_it_may(process):
    process.ask("Adding", sum, [1], seconds=PATIENCE)
    before = resident(process.pid)
    for megabytes in (100, 250, 310, 1_000, 100_000):
        size = megabytes * 1_000_000
        if megabytes < 260:
            process.ask("Filling", bytes.count, b"x" * size, b"x", seconds=PATIENCE)
        else:
            with pytest.raises(InvalidInput, match="300 MB"):
                process.ask("Filling", np.full, size // 8, 1.0, seconds=PATIENCE)
    assert resident(process.pid, "VmHWM") - before < 300


def resident(pid, name="VmRSS"):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1_000


@pytest.mark.slow("starts confined processes")
def test_too_long_is_one_sentence_and_it_begins_anew_holding_nothing(process):
    before = process.pid
    with pytest.raises(InvalidInput, match=r"^Reading 'a' took more than 0\.5 seconds, the most"):
        process.ask("Reading 'a'", time.sleep, 100, seconds=0.5)
    assert not runs(before)
    assert process.begun == 2
    assert process.ask("Adding", sum, [1, 2], seconds=PATIENCE) == 3


@pytest.mark.slow("starts confined processes")
def test_one_that_is_killed_is_one_sentence(process):
    process.ask("Adding", sum, [1], seconds=PATIENCE)
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(InvalidInput, match="took more than 300 MB"):
        process.ask("Reading 'a'", sum, [1], seconds=PATIENCE)
    assert process.ask("Adding", sum, [1, 2], seconds=PATIENCE) == 3


def test_closed_in_the_midst_of_an_answer_it_is_gone(process):
    raised: list[BaseException] = []

    def ask():
        try:
            process.ask("Reading", time.sleep, 100, seconds=PATIENCE)
        except Cancelled as error:
            raised.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(0.3)
    process.close()
    asking.join(PATIENCE)
    assert len(raised) == 1
    assert not runs(process.pid)
    with pytest.raises(Cancelled):
        process.ask("Adding", sum, [1], seconds=PATIENCE)


def test_nobody_who_asks_any_more_ends_it():
    begun = Confined(300)
    pid = begun.pid
    del begun
    assert not runs(pid)


KILLED = """
import os, signal, sys, threading, time
from dpcore.confined import Confined
process = Confined(300)
process.ask("Adding", sum, [1], seconds=60)
given = ("Waiting", time.sleep, 100)
threading.Thread(target=process.ask, args=given, kwargs={"seconds": 100}).start()
time.sleep(0.3)
print(process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow("starts confined processes")
def test_it_ends_with_who_asks_also_in_the_midst_of_an_answer():
    import subprocess
    import sys

    root = Path(__file__).resolve().parents[1]
    done = subprocess.run([sys.executable, "-c", KILLED], cwd=root, capture_output=True, text=True)
    pid = int(done.stdout)
    wait_for(lambda: not runs(pid))
