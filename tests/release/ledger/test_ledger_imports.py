"""What other programs declare is taken over as such, all of it or nothing."""

import json
import math

import pytest

from dpcore.accounting.decimals import decimal
from dpcore.errors import InvalidInput
from dpcore.release.ledger import (
    ApproximateSpend,
    ConcentratedSpend,
    DeclaredSpend,
    Ledger,
    PureSpend,
    Refused,
    SubsampledGaussianSpend,
    declared,
)

TERMS = {
    **{"person_unit": "one patient", "adjacency": "add-remove"},
    **{"epsilon": 2.0, "delta": 1e-5, "owner": "A"},
}
BY = {"actor": "B", "purpose": "last year"}


def test_the_state_of_opacus_is_read():
    # What json.dumps(RDPAccountant().state_dict()) of Opacus 1.6 gives after three steps.
    spends = declared('{"history": [[2.0, 0.01, 2], [1.5, 0.01, 1]], "mechanism": "rdp"}')
    assert spends == [
        DeclaredSpend(SubsampledGaussianSpend(2.0, 0.01, 2), "Opacus, accountant rdp"),
        DeclaredSpend(SubsampledGaussianSpend(1.5, 0.01, 1), "Opacus, accountant rdp"),
    ]
    ledger = Ledger.open("memory")
    ledger.create("clinic", **TERMS)
    ledger.declare("clinic", spends, **BY)
    for entry in ledger.history("clinic")[1:]:
        assert entry.details["spend"]["standing"] == "declared, not checked"
    assert ledger.verify() == []


@pytest.mark.parametrize(
    ("plain", "spend"),
    [
        (("MaxDivergence", {"scale": 4.0}, 2.0), PureSpend(0.5)),
        (("ZeroConcentratedDivergence", {"rho": 0.125}, None), ConcentratedSpend(0.125)),
        (
            ("Approximate<MaxDivergence>", {"epsilon": 0.5, "delta": 1e-7}, None),
            ApproximateSpend(0.5, 1e-7),
        ),
    ],
)
def test_a_measurement_of_opendp_is_read(plain, spend):
    measure, parameters, sensitivity = plain
    document = {"measure": measure, "parameters": parameters, "sensitivity": sensitivity}
    (result,) = declared(json.dumps(document))
    assert result.source == "OpenDP"
    assert type(result.spend) is type(spend)
    for name in ("epsilon", "delta", "rho"):
        if hasattr(spend, name):
            exact, read = getattr(spend, name), getattr(result.spend, name)
            assert exact <= read
            assert math.isclose(exact, read, rel_tol=1e-12)


def test_anything_else_is_a_pair_with_its_source():
    plain = json.dumps({"epsilon": 1, "delta": 1e-9, "source": "a paper"})
    assert declared(plain) == [DeclaredSpend(ApproximateSpend(1.0, 1e-9), "a paper")]


def test_ten_laplace_scales_of_ten_cost_one():
    (one,) = declared('{"measure": "MaxDivergence", "parameters": {"scale": 10}, "sensitivity": 1}')
    typed = declared('{"epsilon": 0.33333333333333333, "delta": 0, "source": "a paper"}') * 3
    ledger = Ledger.open("memory")
    ledger.create("clinic", **TERMS)
    ledger.declare("clinic", [one] * 10 + typed, **BY)
    assert ledger.left("clinic").account.totals.epsilon == decimal("1.99999999999999999")


def test_more_than_the_cap_leaves_is_taken_over_whole_or_not_at_all():
    ledger = Ledger.open("memory")
    ledger.create("clinic", **TERMS)
    with pytest.raises(Refused):
        ledger.declare("clinic", [DeclaredSpend(PureSpend(0.9), "a paper")] * 3, **BY)
    assert len(ledger.history("clinic")) == 1
    ledger.raise_cap("clinic", epsilon=9.0, delta=1e-5, reason="it was spent", actor="B")
    receipts = ledger.declare("clinic", [DeclaredSpend(PureSpend(0.9), "a paper")] * 3, **BY)
    assert [receipt.entry for receipt in receipts] == [3, 4, 5]


@pytest.mark.parametrize(
    "document",
    [
        *("{", "[" * 100_000, "[]", "{}", '{"history": []}'),
        *(f'{{"history": [{line}]}}' for line in ("[1, 2]", "[NaN, 0.1, 1]", "[1.0, [], 1]")),
        '{"measure": "Trust", "parameters": {}}',
        '{"measure": "MaxDivergence", "parameters": {"scale": 1}}',
        '{"measure": "MaxDivergence", "parameters": {"scale": 1e300}, "sensitivity": 1e-300}',
        '{"epsilon": 1, "source": "\\u0000"}',
        '{"epsilon": 1, "delta": 5e-324, "source": "x"}',
    ],
)
def test_what_is_in_no_form_is_refused_in_a_sentence(document):
    with pytest.raises(InvalidInput) as refused:
        declared(document)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400
