"""The account: as an independent library composes it, in any order, under one adjacency."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date, timedelta
from functools import reduce

import dp_accounting
import pytest
from dp_accounting.pld import PLDAccountant, privacy_loss_distribution
from dp_accounting.pld.accountant import get_smallest_gaussian_noise
from dp_accounting.pld.common import DifferentialPrivacyParameters
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.accounting.account import Account, Room, composed, converted, fitted, room, rooms, state
from dpcore.accounting.answers import split
from dpcore.accounting.decimals import decimal, named_below
from dpcore.accounting.entries import MAX_ENTRIES, AccountEntry
from dpcore.accounting.events import TrainingPlan, steps_per_epoch
from dpcore.accounting.planner import spent
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_epsilon

DELTA = 1e-5
BUDGET = PrivacyBudget(3.0, DELTA)
DAY = date(2026, 1, 15)
TRAINING = AccountEntry(
    "training", "Model", 4, DAY, "quarter", 2.0, records=10_000, batch=256, epochs=10
)
WEEKLY = AccountEntry("release", "Weekly count", 52, DAY, "week", 20.0)
LAPLACE = AccountEntry("laplace", "Survey", 5, DAY, "month", epsilon=0.1)
BEFORE = AccountEntry("spent", "Last year", first=DAY, epsilon=0.2, delta=1e-6)
TREES = AccountEntry("model", "Risk tree", 4, DAY, "quarter", epsilon=0.3, method="decision-tree")
DPGD = replace(TREES, what="Risk model", method="dpgd", count=3, epsilon=0.5, delta=DELTA)
FORESTS = replace(TREES, what="Forest", method="random-forest", count=2, epsilon=0.2, delta=1e-7)
MIXES = {
    "one training": [TRAINING],
    "releases": [WEEKLY, replace(WEEKLY, noise=30.0, count=3)],
    "trainings and releases": [TRAINING, WEEKLY],
    "with Laplace": [TRAINING, WEEKLY, LAPLACE],
    "Laplace alone": [LAPLACE],
    "trees": [replace(TREES, count=12, every="month")],
    "models that are Gaussian": [DPGD, replace(DPGD, method="naive-bayes", epsilon=0.2)],
    "models of (ε, δ)": [replace(FORESTS, count=12, every="month")],
    "models beside others": [TREES, DPGD, FORESTS, TRAINING, WEEKLY],
    "all kinds": [TRAINING, WEEKLY, LAPLACE, BEFORE, replace(BEFORE, epsilon=0.05, delta=0.0)],
}
MIXES["all kinds"] += [TREES, DPGD, FORESTS]


def total(entries, adjacency=Adjacency.ZERO_OUT):
    return composed(entries, DELTA, adjacency).bound


def oracle(entries):
    """ε by Google's accountant; what is already spent is added by basic composition."""
    theirs = PLDAccountant(
        dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE, value_discretization_interval=1e-4
    )
    epsilon, delta, models = 0.0, DELTA, []
    for entry in entries:
        if entry.kind == "spent":
            epsilon, delta = epsilon + (entry.epsilon or 0.0), delta - (entry.delta or 0.0)
        elif entry.kind == "laplace":
            theirs.compose(dp_accounting.LaplaceDpEvent(1.0 / (entry.epsilon or 0.0)), entry.count)
        elif entry.method == "dpgd" or entry.method == "naive-bayes":
            noise = get_smallest_gaussian_noise(
                DifferentialPrivacyParameters(entry.epsilon or 0.0, entry.delta or 0.0), 1, 1.0
            )
            theirs.compose(dp_accounting.GaussianDpEvent(noise), entry.count)
        elif entry.kind == "model":
            pair = privacy_loss_distribution.from_privacy_parameters(
                DifferentialPrivacyParameters(entry.epsilon or 0.0, entry.delta or 0.0),
                value_discretization_interval=1e-4,
            )
            models = [*models, pair.self_compose(entry.count)]
        elif entry.kind == "release":
            theirs.compose(dp_accounting.GaussianDpEvent(entry.noise or 0.0), entry.count)
        else:
            records, batch, epochs = entry.records or 0, entry.batch or 0, entry.epochs or 0
            step = dp_accounting.PoissonSampledDpEvent(
                batch / records, dp_accounting.GaussianDpEvent(entry.noise or 0.0)
            )
            theirs.compose(step, entry.count * epochs * steps_per_epoch(records, batch))
    # Their accountant has no event for a pair (ε, δ), but their distributions have.
    whole = reduce(lambda one, other: one.compose(other), models, theirs._pld)
    return float(epsilon + whole.get_epsilon_for_delta(delta))


@pytest.mark.slow("composes many distributions of the privacy loss")
@pytest.mark.parametrize("name", MIXES)
def test_a_mix_costs_what_an_independent_accountant_says(name):
    ours, theirs = total(MIXES[name]), oracle(MIXES[name])
    # Both are upper bounds, each on a grid of its own.
    assert ours == pytest.approx(theirs, rel=1e-3)


entries_of_any_kind = st.lists(
    st.sampled_from([*MIXES["all kinds"], replace(TRAINING, sampling="fixed", count=1)]),
    min_size=1,
    max_size=5,
)


@settings(max_examples=10, deadline=None)
@given(entries=entries_of_any_kind, seed=st.randoms(use_true_random=False))
def test_the_order_does_not_matter(entries, seed):
    shuffled = list(entries)
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    assert total(shuffled) == total(entries)


@pytest.mark.parametrize("left_out", range(len(MIXES["all kinds"])))
def test_no_entry_is_left_out(left_out):
    entries = MIXES["all kinds"]
    fewer = [entry for place, entry in enumerate(entries) if place != left_out]
    assert total(fewer) < total(entries) * (1.0 - 1e-3)


def test_releases_with_gaussian_noise_alone_are_exact():
    result = composed([WEEKLY, replace(WEEKLY, noise=7.0, count=1)], DELTA, Adjacency.ZERO_OUT)
    assert result.by == "Gaussian DP"
    sigma = (52 / 20.0**2 + 1 / 7.0**2) ** -0.5
    assert result.epsilon == pytest.approx(analytic_epsilon(sigma, DELTA), rel=1e-9)


@pytest.mark.parametrize("adjacency", Adjacency)
def test_a_release_s_noise_is_in_units_of_the_account_s_own_sensitivity(adjacency):
    """Δ includes the adjacency, and C does not: replacing moves a sum of clipped records by 2C."""
    assert total([WEEKLY], adjacency) == total([WEEKLY])
    assert total([LAPLACE], adjacency) == total([LAPLACE])
    strict = adjacency is Adjacency.REPLACE_ONE
    assert (total([TRAINING], adjacency) > 1.5 * total([TRAINING])) == strict
    run = TrainingPlan(2.0, 10_000, 256, 4 * 400, DELTA, adjacency=adjacency)
    assert total([TRAINING], adjacency) == spent(run, "pld").epsilon


def test_pure_epsilon_adds_up_at_most():
    assert 0.3 < total([LAPLACE]) <= 5 * 0.1
    assert composed([LAPLACE], 1e-12, Adjacency.ZERO_OUT).bound == pytest.approx(0.5, rel=1e-3)
    assert total([replace(TREES, count=1)]) == pytest.approx(0.3, rel=1e-9)
    assert total([replace(TREES, count=100)]) < 0.6 * 100 * 0.3


def test_what_is_spent_is_added_and_its_delta_is_taken():
    alone = composed([BEFORE], DELTA, Adjacency.ZERO_OUT)
    assert alone.epsilon == pytest.approx(0.2, rel=1e-9)
    assert alone.bound >= 0.2
    rest = composed([WEEKLY], DELTA - 1e-6, Adjacency.ZERO_OUT).bound
    assert total([WEEKLY, BEFORE]) == pytest.approx(0.2 + rest, rel=1e-6)
    assert total([WEEKLY, BEFORE]) >= 0.2 + rest
    used = composed([WEEKLY, replace(BEFORE, delta=DELTA)], DELTA, Adjacency.ZERO_OUT)
    assert used.epsilon is None
    assert used.reason.startswith("The entries use δ = 10⁻⁵ by themselves")


TWICE = 0.4, 1e-6 * (1 + math.exp(0.2))
CONVERSIONS = {
    ("replace-one", "zero-out"): (0.2, 1e-6),
    ("add-remove", "zero-out"): TWICE,
    ("add-remove", "replace-one"): TWICE,
    ("zero-out", "replace-one"): TWICE,
}


@pytest.mark.parametrize("held", Adjacency)
@pytest.mark.parametrize("adjacency", Adjacency)
def test_adjacencies_are_never_mixed(held, adjacency):
    entry = replace(BEFORE, adjacency=held)
    expected = CONVERSIONS.get((str(held), str(adjacency)))
    if held is adjacency:
        expected = (0.2, 1e-6)
    if expected is None:
        with pytest.raises(InvalidInput, match="says nothing about the number of records"):
            Account(BUDGET, (entry,), adjacency)
        return
    Account(BUDGET, (entry,), adjacency)
    assert converted(entry, adjacency) == pytest.approx(expected, rel=1e-9)
    assert composed([entry], DELTA, adjacency).bound == pytest.approx(expected[0], rel=1e-9)


@pytest.mark.parametrize("entry", [TRAINING, WEEKLY, LAPLACE])
def test_noise_of_another_adjacency_is_refused(entry):
    Account(BUDGET, (replace(entry, adjacency=Adjacency.ZERO_OUT),))
    with pytest.raises(InvalidInput, match=r"Entry 1, .*: adjacency is 'replace-one', but it must"):
        Account(BUDGET, (replace(entry, adjacency=Adjacency.REPLACE_ONE),))


def test_what_has_no_theorem_or_proof_is_refused():
    fixed = replace(TRAINING, sampling="fixed")
    Account(BUDGET, (fixed,), Adjacency.REPLACE_ONE)
    with pytest.raises(InvalidInput, match="Entry 1, 'Model': PLD has no theorem here"):
        Account(BUDGET, (fixed,), Adjacency.ADD_REMOVE)
    with pytest.raises(InvalidInput, match="decision-tree has no proof under add-remove"):
        Account(BUDGET, (TREES,), Adjacency.ADD_REMOVE)


@pytest.mark.parametrize("name", MIXES)
def test_the_days_add_up_to_the_whole(name):
    entries = MIXES[name]
    result = state(Account(BUDGET, tuple(entries)))
    spent = list(result.table["epsilon_spent"])
    assert result.guarantee.epsilon == total(entries) == spent[-1]
    assert spent == sorted(spent)
    assert list(result.table["within"]) == [epsilon <= 3.0 for epsilon in spent]
    assert result.breaks_on == next(iter(result.table["day"][~result.table["within"]]), None)
    assert result.left == max(0.0, named_below(decimal(3.0) - decimal(spent[-1])))
    assert result.spent_by(DAY - timedelta(days=1)) == 0.0
    assert result.spent_by(date(2027, 12, 31)) == spent[-1]
    # What the first day costs, by itself.
    first = [replace(entry, count=1) for entry in entries]
    if not any(entry.kind == "spent" for entry in entries):
        assert spent[0] == pytest.approx(total(first), rel=1e-3)
    assert spent[0] >= total(first) * (1.0 - 1e-3)


@pytest.mark.slow("composes many distributions of the privacy loss")
@pytest.mark.parametrize("name", MIXES)
def test_as_many_more_fit_as_are_named_and_no_more(name):
    result = state(Account(BUDGET, tuple(MIXES[name])))
    for each in rooms(result, [replace(TRAINING, count=1), replace(WEEKLY, count=1)]):
        entries = [*MIXES[name], replace(each.entry, count=max(1, each.count))]
        if each.count:
            assert total(entries) <= 3.0
        assert total([*MIXES[name], replace(each.entry, count=each.count + 1)]) > 3.0
    kinds = {each.entry.kind for each in rooms(result, [TRAINING, WEEKLY])}
    assert kinds == {"training", "release"} | {
        entry.kind for entry in MIXES[name] if entry.kind in ("laplace", "model")
    }


def test_nothing_fits_an_overdrawn_account_and_all_is_left_of_an_empty_one():
    result = state(Account(PrivacyBudget(0.5, DELTA), (TRAINING, WEEKLY)))
    assert not result.is_within
    assert result.left == 0.0
    assert result.breaks_on == DAY
    assert room(result, WEEKLY) == Room(replace(WEEKLY, count=1), 0)
    result = state(Account(BUDGET, ()))
    assert (result.guarantee.epsilon, result.left, result.breaks_on) == (0.0, 3.0, None)
    assert result.table.empty


@pytest.mark.parametrize(
    ("kind", "epsilons", "is_within"),
    [
        ("spent", ["0.1", "0.9"], True),
        ("spent", [0.1] * 10, True),
        ("spent", [0.0909090909090909] * 11, True),
        ("spent", [0.1, 0.9000000000000001], False),
        ("spent", ["1.0000000000000001"], False),
        ("laplace", [0.1, 0.9], True),
        ("laplace", [0.1, 0.9000000000000001], False),
    ],
)
def test_typed_decimals_keep_a_budget_to_the_last_digit(kind, epsilons, *, is_within):
    typed = tuple(AccountEntry(kind, epsilon=each) for each in epsilons)
    result = state(Account(PrivacyBudget(1, DELTA), typed))
    assert result.is_within is is_within
    assert result.breaks_on == (None if is_within else typed[0].first)


def test_typed_deltas_use_a_whole_delta_and_not_more():
    parts = [AccountEntry("spent", epsilon=0.1, delta=1e-6)] * 10
    for fitting in (parts, [*parts, LAPLACE]):
        assert state(Account(BUDGET, tuple(fitting))).is_within
    over = [*parts, AccountEntry("spent", epsilon=0.1, delta=1e-20)]
    assert "10⁻²⁰ too much" in state(Account(BUDGET, tuple(over))).guarantee.reason


@pytest.mark.parametrize(
    "entries",
    [
        (replace(WEEKLY, noise=None, share=1.0),),
        (replace(TRAINING, noise=None, share=2.0), replace(WEEKLY, noise=None, share=1.0)),
        (TRAINING, replace(WEEKLY, noise=None, share=1.0), BEFORE),
        (replace(TRAINING, noise=None, share=1.0), replace(LAPLACE, epsilon=None, share=1.0)),
        (replace(TREES, epsilon=None, share=1.0, count=1),),
        tuple(replace(each, epsilon=None, share=1.0) for each in (TREES, DPGD, FORESTS)),
    ],
    ids=["releases", "both", "beside typed noise", "Laplace", "one tree", "models"],
)
def test_shares_use_the_whole_budget_and_never_more(entries):
    result = state(Account(BUDGET, entries))
    assert result.is_within
    assert result.guarantee.epsilon == pytest.approx(3.0, rel=2e-3)
    # The noise is short enough to be written down, and it is what was composed.
    for typed, entry in zip(entries, result.entries, strict=True):
        assert entry.share is None
        assert typed.noise in (None, entry.noise)
    assert state(Account(BUDGET, result.entries)).guarantee == result.guarantee


def test_the_delta_of_a_gaussian_model_is_the_account_s_unless_it_is_named():
    (alone,) = state(Account(BUDGET, (replace(DPGD, count=1, delta=None),))).alone
    assert alone.bound == pytest.approx(0.5, rel=1e-6)
    (named,) = state(Account(BUDGET, (replace(DPGD, count=1, delta=1e-3),))).alone
    assert named.bound > 0.6


def test_shares_of_releases_are_the_exact_split():
    (entry,) = state(Account(BUDGET, (replace(WEEKLY, noise=None, share=1.0),))).entries
    exact = split(BUDGET, 52, "pld").portions[0].noise_multiplier
    assert exact <= (entry.noise or 0.0) <= exact * 1.001
    # Of four times the share, half the noise.
    entries = tuple(replace(WEEKLY, noise=None, share=share) for share in (4.0, 1.0))
    more, less = (entry.noise or 0.0 for entry in state(Account(BUDGET, entries)).entries)
    assert less / more == pytest.approx(2.0, rel=1e-3)


def test_nothing_left_for_a_share_is_said():
    small = PrivacyBudget(0.5, DELTA)
    with pytest.raises(InvalidInput, match="entries with a noise of their own spend ε = "):
        state(Account(small, (TRAINING, replace(WEEKLY, noise=None, share=1.0))))
    with pytest.raises(InvalidInput, match="leave no budget"):
        state(Account(small, (replace(BEFORE, delta=0.1), replace(WEEKLY, noise=None, share=1.0))))


@pytest.mark.parametrize(
    ("epsilon", "entries", "changed"),
    [
        (1.5, (WEEKLY, TRAINING), {1}),
        (2.5, (TRAINING, WEEKLY, BEFORE), {1}),
        (0.5, (WEEKLY, TRAINING), {0, 1}),
    ],
    ids=["the last", "the last with noise", "all"],
)
def test_an_account_is_fitted_by_the_noise_of_its_last_entry_or_else_of_all(
    epsilon, entries, changed
):
    account = Account(PrivacyBudget(epsilon, DELTA), entries)
    assert not state(account).is_within
    result = fitted(account)
    assert state(replace(account, entries=result)).is_within
    pairs = zip(entries, result, strict=True)
    assert {place for place, (old, new) in enumerate(pairs) if old != new} == changed
    spent_before = replace(account, entries=(replace(BEFORE, epsilon=2.0),))
    with pytest.raises(InvalidInput, match="already spent"):
        fitted(spent_before)


def test_an_epsilon_of_each_release_is_kept_by_it_alone():
    entry = replace(WEEKLY, noise=None, epsilon=0.5, count=1)
    result = state(Account(BUDGET, (entry,)))
    assert result.guarantee.epsilon == pytest.approx(0.5, rel=1e-3)
    assert (result.guarantee.epsilon or 1.0) <= 0.5


def test_the_days_of_repetitions():
    entry = replace(WEEKLY, first=date(2026, 1, 31), count=4)
    assert [str(day) for day in replace(entry, every="month").days()] == [
        "2026-01-31",
        "2026-02-28",
        "2026-03-31",
        "2026-04-30",
    ]
    assert replace(entry, every="quarter").days()[-1] == date(2026, 10, 31)
    assert replace(entry, every="week").days()[1] == date(2026, 2, 7)
    assert set(replace(entry, every="once").days()) == {date(2026, 1, 31)}


@pytest.mark.parametrize(
    ("entry", "changes", "sentence"),
    [
        (TREES, {"method": "nonprivate"}, "method is nonprivate"),
        (TREES, {"method": "outpert", "epsilon": 1.0}, "ε is 1, .* outpert it must be below 1"),
        (TREES, {"delta": 1e-7}, "δ is 1e-7, .* left out: decision-tree"),
        (TREES, {"noise": 2.0}, "noise is given, but “model”"),
        (WEEKLY, {"kind": "gift"}, "kind is 'gift'"),
        (WEEKLY, {"count": 0}, "how many is 0"),
        (WEEKLY, {"count": 2.5}, "how many is 2.5"),
        (WEEKLY, {"first": "soon"}, "first day is 'soon'"),
        (WEEKLY, {"first": date(2100, 6, 1)}, "the last day is"),
        (WEEKLY, {"every": "year"}, "every is 'year'"),
        (WEEKLY, {"noise": 0.0}, "noise is 0"),
        (WEEKLY, {"noise": None}, "noise is empty, .* one of noise, epsilon, share"),
        (WEEKLY, {"share": 1.0}, "noise and share are both given"),
        (WEEKLY, {"noise": None, "share": -1.0}, "share is -1"),
        (WEEKLY, {"epochs": 3}, "epochs is given, but “count”"),
        (WEEKLY, {"adjacency": "swap"}, "adjacency is 'swap'"),
        (TRAINING, {"records": None}, "records n is None"),
        (TRAINING, {"batch": 20_000}, "batch size is 20000"),
        (TRAINING, {"epochs": 1_000_000}, "steps is 40000000"),
        (TRAINING, {"sampling": "none"}, "sampling is 'none'"),
    ],
)
def test_each_wrong_field_is_named(entry, changes, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        replace(entry, **changes)  # type: ignore[arg-type]


def test_too_much_is_refused():
    with pytest.raises(InvalidInput, match=f"at most {MAX_ENTRIES}"):
        Account(BUDGET, (WEEKLY,) * (MAX_ENTRIES + 1))
    with pytest.raises(InvalidInput, match="the number of trainings and releases is 3000"):
        Account(BUDGET, (replace(WEEKLY, count=1_000, every="day"),) * 3)
    with pytest.raises(InvalidInput, match="δ is 0"):
        Account(PrivacyBudget(1.0, 0.0), (WEEKLY,))


def test_progress_rises():
    shares: list[float] = []
    account = Account(BUDGET, (TRAINING, replace(WEEKLY, noise=None, share=1.0)))
    state(account, lambda share, message: shares.append(share))
    assert len(shares) > 3
    assert shares == sorted(shares)
