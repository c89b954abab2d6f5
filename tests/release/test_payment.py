"""What a release costs, said before it is paid, is what the ledger takes."""

import pytest

from dpcore.release import demonstration
from dpcore.release.ledger import Refused
from dpcore.release.payment import Price
from dpcore.release.plan import plan


def price(ledger, **settings):
    made = plan(demonstration.columns(), 3000, **{"epsilon": 1.0, "delta": 1e-5} | settings)
    return Price(made, ledger.left(demonstration.DATA_SET))


def test_it_is_what_the_ledger_takes_until_it_refuses():
    ledger = demonstration.ledger()
    first = price(ledger)
    assert "ε = 1 of the 3 left" in first.words()
    for more in range(6, -1, -1):
        asked = price(ledger)
        assert asked.refusal is None
        receipt = ledger.spend(demonstration.DATA_SET, asked.plan.spend, actor="A", purpose="B")
        assert receipt.left == asked.after
        assert receipt.left.more(asked.plan.spend) == more
    refused = price(ledger).refusal
    assert refused is not None
    with pytest.raises(Refused, match="no more releases") as told:
        ledger.spend(demonstration.DATA_SET, price(ledger).plan.spend, actor="A", purpose="B")
    assert str(told.value) == str(refused)
