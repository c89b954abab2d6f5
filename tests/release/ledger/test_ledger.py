"""The ledger: what is spent is final, the cap is kept, and the history shows every change."""

import math
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from dpcore.accounting.decimals import decimal, named_below
from dpcore.errors import InvalidInput
from dpcore.release import demonstration
from dpcore.release.ledger import (
    ApproximateSpend,
    GaussianSpend,
    Ledger,
    PureSpend,
    Refused,
    SubsampledGaussianSpend,
)
from dpcore.release.ledger.spends import mechanism_epsilon
from dpcore.release.plan import plan

TRAINING = SubsampledGaussianSpend(1.1, 0.01, 1000)
CLINIC = {
    **{"person_unit": "one patient", "adjacency": "zero-out"},
    **{"epsilon": 3.0, "delta": 1e-5, "owner": "Dr. A"},
}
BY = {"actor": "B", "purpose": "a model of risk"}


@pytest.fixture
def ledger(tmp_path):
    opened = Ledger.open(tmp_path / "ledger.db")
    opened.create("clinic", **CLINIC)
    return opened


def test_a_cap_is_kept_and_the_refusal_says_what_is_left(ledger):
    receipts = [ledger.spend("clinic", TRAINING, **BY) for _ in range(2)]
    assert [receipt.entry for receipt in receipts] == [2, 3]
    left = ledger.left("clinic")
    assert receipts[-1].left == left
    assert 0.0 < left.epsilon < receipts[0].left.epsilon < 3.0
    with pytest.raises(Refused, match="enough for no more trainings like the last") as refused:
        ledger.spend("clinic", TRAINING, **BY)
    assert refused.value.left == left == ledger.left("clinic")
    # As a process that holds records tells it.
    told = pickle.loads(pickle.dumps(refused.value))
    assert (type(told), str(told), told.left) == (Refused, str(refused.value), left)
    assert ledger.verify([receipt.chain_head for receipt in receipts]) == []


def test_what_no_payment_fits_is_nothing_and_never_more_than_is_left():
    ledger = demonstration.ledger()
    made = plan(demonstration.columns(), 3_000, epsilon=3.0, delta=demonstration.DELTA)
    left = ledger.spend(demonstration.DATA_SET, made.spend, **BY).left
    assert 0.0 < left.epsilon < 1e-5
    assert left.shown == 0.0
    assert left.words().startswith("ε = 0 of 3 is left at δ = 10⁻⁵, enough for no more ")
    with pytest.raises(Refused, match="ε = 0 of 3 is left"):
        ledger.spend(demonstration.DATA_SET, made.spend, **BY)
    other = ledger.create("clinic", **CLINIC)
    for _ in range(2):
        other = ledger.spend("clinic", TRAINING, **BY).left
        assert 0.0 <= other.shown <= other.epsilon < other.shown + 0.01


FITTING = {
    "two": (["0.1", "0.9"], "1"),
    "ten": ([0.1] * 10, 1),
    "eleven": ([0.0909090909090909] * 11, 1),
    "more digits than a float has": (["0.33333333333333333"] * 3, 1),
}
EXCEEDING = {
    "little": ([0.1, 0.9000000000000001], 1, "10⁻¹⁶"),
    "very little": (["0.1", "0.9000000000000000000000000001"], 1, "10⁻²⁸"),
    "a cap between two floats": (["0.99999999999999999"], "0.99999999999999998", "9 × 10⁻¹⁷"),
}


def with_cap(epsilon):
    ledger = Ledger.open("memory")
    ledger.create("clinic", **CLINIC | {"epsilon": epsilon}, accepts=["approximate"])
    return ledger


@pytest.mark.parametrize("name", FITTING)
def test_typed_decimals_that_fit_are_paid_to_the_last_digit(name):
    spends, cap = FITTING[name]
    ledger = with_cap(cap)
    for each in spends:
        ledger.spend("clinic", PureSpend(each), **BY)
        assert mechanism_epsilon(PureSpend(each)) <= decimal(each)
    total = sum(map(decimal, spends))
    left = ledger.left("clinic")
    assert left.account.totals.epsilon == total
    assert left.epsilon == named_below(decimal(cap) - total)
    assert ledger.verify() == []


@pytest.mark.parametrize("name", EXCEEDING)
def test_typed_decimals_above_the_cap_are_refused_with_their_excess(name):
    *spends, last = EXCEEDING[name][0]
    ledger = with_cap(EXCEEDING[name][1])
    for each in spends:
        ledger.spend("clinic", PureSpend(each), **BY)
    with pytest.raises(Refused, match=f"ε = {EXCEEDING[name][2]} too much"):
        ledger.spend("clinic", PureSpend(last), **BY)


def test_typed_deltas_add_up_to_their_part_and_not_beyond():
    ledger = with_cap(3)
    for _ in range(10):
        ledger.spend("clinic", ApproximateSpend(0.1, 1e-6), **BY)
    with pytest.raises(Refused, match="δ = 10⁻³⁰⁰ too much"):
        ledger.spend("clinic", ApproximateSpend(0.1, 1e-300), **BY)
    ledger.create("other", **CLINIC | {"delta": 9e-6})
    for _ in range(3):
        ledger.spend("other", ApproximateSpend(0.1, 1e-6), **BY)
    with pytest.raises(Refused, match=r"δ = 10⁻⁷ too much: .* is 3 × 10⁻⁶"):
        ledger.spend("other", ApproximateSpend(0.1, 1e-7), **BY)


def test_threads_share_a_ledger_in_memory():
    ledger = Ledger.open("memory")
    room = ledger.create("clinic", **CLINIC, accepts=["approximate"]).more(PureSpend(0.1))

    def spend(_):
        try:
            ledger.spend("clinic", PureSpend(0.1), **BY)
        except Refused:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(spend, range(2 * room))) == room
    assert ledger.verify() == []


@pytest.mark.parametrize(
    "name", ["", " ", "a\x00", "\u202eclinic", "a" * 201, 7, None, *"\ufe0f\u034f\u0301!"]
)
def test_a_name_that_cannot_be_read_is_refused(name):
    with pytest.raises(InvalidInput, match=r"data set is .*printable letters"):
        Ledger.open("memory").create(name, **CLINIC)


def test_a_cap_is_raised_with_a_reason_and_never_lowered(ledger):
    by = {"reason": "the ethics board agreed", "actor": "C"}
    assert ledger.raise_cap("clinic", epsilon=4, delta=1e-5, **by).cap == (4.0, 1e-5)
    assert ledger.history("clinic")[-1].details["reason"] == by["reason"]
    for epsilon, delta in ((3.9, 1e-5), (5.0, 1e-6), (4.0, 1e-5)):
        with pytest.raises(InvalidInput):
            ledger.raise_cap("clinic", epsilon=epsilon, delta=delta, **by)
    with pytest.raises(InvalidInput, match="reason is ''"):
        ledger.raise_cap("clinic", epsilon=5, delta=1e-5, reason="", actor="C")


def test_a_certificate_is_attached_once(ledger):
    spent = ledger.spend("clinic", TRAINING, **BY)
    receipt = ledger.attach("clinic", spent.entry, "ab" * 32)
    assert ledger.history("clinic")[-1].document["refers"] == spent.entry
    assert receipt.left == spent.left
    sealed = ledger.spend("clinic", PureSpend(0.01), certificate_hash="cd" * 32, **BY)
    for entry in (spent.entry, sealed.entry, 1, 99):
        with pytest.raises(InvalidInput):
            ledger.attach("clinic", entry, "ef" * 32)
    with pytest.raises(InvalidInput, match="64 hexadecimal"):
        ledger.attach("clinic", spent.entry, "AB" * 32)


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [
        *((PureSpend, (each,)) for each in (math.nan, -1.0, 5e-324, math.inf, 1e308)),
        *((ApproximateSpend, (0.1, each)) for each in (5e-324, -1e-9, 1.0)),
        *((GaussianSpend, each) for each in ((0.0,), (1e-300,), (1.0, 10**30), (1.0, -1))),
        *((SubsampledGaussianSpend, (1.0, each, 1)) for each in (5e-324, 1.5)),
        (SubsampledGaussianSpend, (math.nan, 0.1, 1)),
    ],
)
def test_impossible_numbers_are_refused_in_a_sentence(kind, numbers):
    with pytest.raises(InvalidInput, match="but it must be"):
        kind(*numbers)


def test_a_spend_of_another_adjacency_is_refused(ledger):
    with pytest.raises(InvalidInput, match="adjacency of the spend is replace-one"):
        ledger.spend("clinic", GaussianSpend(50.0, adjacency="replace-one"), **BY)
    ledger.create("other", **{**CLINIC, "adjacency": "replace-one"})
    with pytest.raises(InvalidInput, match="covers poisson sampling under replace-one"):
        ledger.spend("other", TRAINING, **BY)
    assert len(ledger.history("other")) == 1


def test_how_long_a_training_took_is_not_kept(ledger, monkeypatch):
    times = iter(("10:00:07.25", "10:00:49.75", "10:00:50.5", "10:01:30.75"))
    monkeypatch.setattr(
        "dpcore.release.ledger.ledger._now", lambda: f"2999-01-01T{next(times)}0000+00:00"
    )
    for sealed in ("10:00:07.25", "10:01:00.00"):
        paid = ledger.spend("clinic", TRAINING, **BY)
        ledger.attach("clinic", paid.entry, "0" * 64)
        # To the minute, but not before the payment.
        assert ledger.history("clinic")[-1].at.startswith(f"2999-01-01T{sealed}")
    assert ledger.verify() == []


def test_a_clock_set_back_is_refused(ledger, monkeypatch):
    monkeypatch.setattr("dpcore.release.ledger.ledger._now", lambda: "2020-01-01T00:00:00+00:00")
    with pytest.raises(InvalidInput, match="set the clock right"):
        ledger.spend("clinic", TRAINING, **BY)
    assert len(ledger.history("clinic")) == 1
