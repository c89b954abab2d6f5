"""Writers that are killed: started as a program of its own, as it forks and sends signals.

``python writers.py URL WRITERS KILLS EACH EARLY``: WRITERS processes spend on one data set of the
ledger at URL until nothing is left; KILLS times one of them is killed at a random moment and
another takes its place. Each writes its own name for a spend once that is final: the noise it would
draw. With EARLY = 1 they do so before the commit, as a broken ledger would. Prints how many spends
were noted, how many writers failed, how many spends the ledger has lost, how many it holds of how
many it has room for, and its problems.
"""

import json
import os
import random
import signal
import sys
import time

from dpcore.release.ledger import Ledger, PureSpend, Refused
from dpcore.release.ledger import ledger as module

CAP = 1.0
LIFE = 0.2
"""Seconds that a writer lives on average."""


def write(url, spend, name, notes, early):
    """Spend until refused; every note is one write, which a signal does not tear."""
    ledger, count, append = Ledger.open(url), 0, module._append

    def noted_early(*arguments):
        entry = append(*arguments)
        os.write(notes, f"{name}-{count}\n".encode())
        time.sleep(0.01)
        return entry

    if early:
        module._append = noted_early
    while True:
        try:
            ledger.spend("clinic", spend, actor=name, purpose=f"{name}-{count}")
        except Refused:
            return
        if not early:
            os.write(notes, f"{name}-{count}\n".encode())
        count += 1


def main(url, writers, kills, each, early):
    """Run the writers, and print what became of their spends."""
    ledger = Ledger.open(url)
    terms = {"person_unit": "one patient", "adjacency": "zero-out", "owner": "A"}
    left = ledger.create("clinic", epsilon=CAP, delta=1e-5, accepts=("approximate",), **terms)
    ledger.close()  # no connection is shared with a child
    reader, notes = os.pipe()
    noted, running, started = b"", set[int](), 0
    os.set_blocking(reader, False)

    def begin():
        nonlocal started
        started += 1
        if (child := os.fork()) == 0:
            code = 1
            try:
                write(url, PureSpend(each), f"writer {started}", notes, early)
                code = 0
            finally:
                os._exit(code)
        running.add(child)

    def drain():
        try:
            return os.read(reader, 1 << 20)
        except BlockingIOError:
            return b""

    for _ in range(writers):
        begin()
    for _ in range(kills):
        time.sleep(random.expovariate(writers / LIFE))
        noted += drain()
        victim = random.choice(sorted(running))
        running.discard(victim)
        os.kill(victim, signal.SIGKILL)
        os.waitpid(victim, 0)
        begin()
    failed = 0
    for child in running:
        while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
            noted += drain()
            time.sleep(0.005)
        failed += ended[1] != 0
    noted += drain()
    ledger = Ledger.open(url)
    kept = [entry.details["purpose"] for entry in ledger.history("clinic") if entry.kind == "spent"]
    tokens = noted.decode().split("\n")[:-1]
    answer = {
        "noted": len(tokens),
        "failed": failed,
        "lost": len(set(tokens) - set(kept)),
        "kept": len(kept),
        "room": left.more(PureSpend(each)),
        "twice": len(kept) - len(set(kept)),
        "problems": ledger.verify(),
    }
    ledger.close()
    print(json.dumps(answer))


if __name__ == "__main__":
    place, processes, killed, amount, is_early = sys.argv[1:]
    main(place, int(processes), int(killed), float(amount), is_early == "1")
