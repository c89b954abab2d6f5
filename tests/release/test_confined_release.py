"""A table in its confined process: prepared, paid once; only a model and a twin come out."""

import time

import pytest

from dpcore.confined import Confined
from dpcore.datasets.own.description import read_own
from dpcore.errors import InvalidInput
from dpcore.release import confined_release
from dpcore.release.check import check
from dpcore.release.plan import plan
from dpcore.release.release import seal
from dpcore.release.summary import summary_plan
from dpcore.release.twin.twin import twin_plan
from tests.release.test_release import ABOUT, COLUMNS, data, ledger_with


def _made(state):
    """What is made in the process, once it is there."""
    deadline = time.monotonic() + 60.0
    while (result := state())[2] is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return result[2]


@pytest.mark.slow("releases in a confined process")
def test_what_was_paid_is_trained_once_and_certified(tmp_path):
    place = str(tmp_path / "ledger.db")
    ledger = ledger_with(place)
    process = Confined(1_000, ("dpcore.release.confined_release",))

    def ask(call, *given):
        return process.ask("Releasing", call, *given, seconds=60.0)

    with pytest.raises(InvalidInput, match="no longer there"):
        ask(confined_release.pay, place)
    count = ask(confined_release.load_table, COLUMNS, data(), "t.csv")
    made = plan(COLUMNS, count, epsilon=4.0, delta=1e-6, steps=12)
    with pytest.raises(InvalidInput, match="not in the ledger"):
        ask(confined_release.prepare, made, ABOUT, place, "elsewhere", "Dr. B")
    ask(confined_release.prepare, made, ABOUT, place, "clinic", "Dr. B")
    receipt = ask(confined_release.pay, place)
    for call, given in ((confined_release.pay, (place,)), (confined_release.trained, ())):
        with pytest.raises(InvalidInput, match="no longer there"):
            ask(call, *given)
    ask(confined_release.train)
    model = _made(lambda: ask(confined_release.trained))
    with pytest.raises(InvalidInput, match="no longer there"):
        ask(confined_release.train)
    plans = {
        "twin": twin_plan(COLUMNS, count, epsilon=2.0, delta=1e-6),
        "table": summary_plan(COLUMNS, count, epsilon=2.0, delta=1e-6),
    }
    receipts, made = {}, {}
    for kind, wanted in plans.items():
        ask(confined_release.prepare_measurement, kind, wanted, place, "clinic", "B")
        receipts[kind] = ask(confined_release.pay_measurement, kind, place)
        for call, given in (
            (confined_release.pay_measurement, (kind, place)),
            (confined_release.measured, (kind,)),
        ):
            with pytest.raises(InvalidInput, match="no longer there"):
                ask(call, *given)
        ask(confined_release.measure, kind)
        found = _made(lambda: ask(confined_release.measured, kind))  # noqa: B023
        made[kind] = confined_release.MEASUREMENTS[kind].seal(found, ledger)
    result = made["twin"]
    assert len(made["table"].files()) == 5
    process.close()
    assert read_own(COLUMNS.replace("=yes", "’=yes"), result.csv.encode(), "").records == count
    *_, spent, attached = ledger.history("clinic")
    card = made["table"].card
    assert (spent.number, attached.details["certificate_hash"]) == (
        receipts["table"].entry,
        card.hash,
    )
    released = seal(model, ledger)
    assert receipt.entry == 2
    kinds = [entry.kind for entry in ledger.history("clinic")]
    assert kinds == ["created", "spent", *2 * ("spent", "attached"), "attached"]
    assert check(released.certificate.to_yaml(), ledger, released.model).problems == ()
