"""Defaults that follow from the number of records."""

import pytest

from dpcore.accounting.events import usual_batch
from dpcore.controls.control import address
from dpcore.controls.train import CONTROLS


@pytest.mark.parametrize(
    ("records", "batch"),
    [(1, 1), (2, 1), (3, 1), (4, 2), (40, 16), (242, 64), (255, 64), (256, 256), (60_000, 256)],
)
def test_a_batch_that_nobody_chose_fits_the_records(records, batch):
    assert usual_batch(records) == CONTROLS["lot"].usual(records) == batch
    assert batch <= records


def test_without_records_the_default_stands_and_a_link_names_what_would_follow():
    lot, rate = CONTROLS["lot"], CONTROLS["rate"]
    assert (lot.usual(None), rate.usual(242)) == (lot.default, rate.default)
    assert address(CONTROLS, {"lot": 256, "rate": rate.default}) == {"lot": "256"}
