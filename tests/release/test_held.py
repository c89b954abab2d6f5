"""A table in its confined process: prepared, paid once, trained; only the model comes out."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from dpcore.confined import Confined
from dpcore.errors import InvalidInput
from dpcore.release import held
from dpcore.release.check import check
from dpcore.release.plan import plan
from dpcore.release.release import seal
from tests.release.test_release import ABOUT, COLUMNS, data, ledger_with


def test_what_was_paid_is_trained_once_and_certified(tmp_path: Path) -> None:
    place = str(tmp_path / "ledger.db")
    ledger = ledger_with(place)
    process = Confined(1_000, ("dpcore.release.held",))

    def ask(call, *given):
        return process.ask("Releasing", call, *given, seconds=60.0)

    with pytest.raises(InvalidInput, match="no longer there"):
        ask(held.pay, place)
    count = ask(held.take, COLUMNS, data(), "t.csv")
    made = plan(COLUMNS, count, epsilon=4.0, delta=1e-6, steps=12)
    with pytest.raises(InvalidInput, match="not in the ledger"):
        ask(held.prepare, made, ABOUT, place, "elsewhere", "Dr. B")
    ask(held.prepare, made, ABOUT, place, "clinic", "Dr. B")
    receipt = ask(held.pay, place)
    for call, given in ((held.pay, (place,)), (held.trained, ())):
        with pytest.raises(InvalidInput, match="no longer there"):
            ask(call, *given)
    ask(held.train)
    deadline = time.monotonic() + 60.0
    while (found := ask(held.trained))[2] is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with pytest.raises(InvalidInput, match="no longer there"):
        ask(held.train)
    process.close()
    released = seal(found[2], ledger)
    assert receipt.entry == 2
    assert [entry.kind for entry in ledger.history("clinic")] == ["created", "spent", "attached"]
    assert check(released.certificate.to_yaml(), ledger, released.model).problems == ()
