"""Before anything is paid: what the noise costs on made-up records; and the demonstration."""

from __future__ import annotations

import pytest

from dpcore.errors import Cancelled
from dpcore.guarantee import PrivacyBudget
from dpcore.release import demonstration, release
from dpcore.release.attack import attack
from dpcore.release.check import check
from dpcore.release.plan import plan
from dpcore.release.rehearsal import TABLES, rehearse
from dpcore.release.table.read import read_for_release

COLUMNS = demonstration.columns()


@pytest.mark.slow("releases models many times over")
def test_a_rehearsal_shows_that_less_noise_costs_less():
    private, usual, loose = (
        rehearse(plan(COLUMNS, 1_000, epsilon=epsilon, delta=1e-6)) for epsilon in (0.05, 1.0, 20.0)
    )
    assert min(private.losses) > max(loose.losses)
    assert private.mean + 0.05 < usual.mean < loose.mean + 0.01
    assert 0.7 < loose.without < 0.9
    assert abs(loose.mean - loose.without) < 0.02
    # Of many records some are rehearsed, with as much noise for each.
    many = rehearse(plan(COLUMNS, 200_000, epsilon=1.0, delta=1e-6, steps=30))
    assert many.mean > many.without - 0.005


def test_several_made_up_tables_are_rehearsed_on_and_by_public_seeds_alone():
    made = plan(COLUMNS, 1_000, epsilon=1.0, delta=1e-6, steps=30)
    reported: list[tuple[float, str]] = []
    first = rehearse(made, progress=lambda *report: reported.append(report))
    assert first == rehearse(made)
    assert first != rehearse(made, seed=1)
    for shares in (first.without_noise, first.with_noise):
        assert len(set(shares)) == TABLES == 5
    assert first.without - first.mean == pytest.approx(sum(first.losses) / TABLES)
    done = [share for share, _ in reported]
    assert done == pytest.approx(sorted(done))
    assert 0.9 < max(done) < 1.0 + 1e-9
    assert {words for _, words in reported} == {f"table {each} of 5" for each in range(1, 6)}


def test_a_rehearsal_ends_when_it_is_cancelled():
    def cancel(share, words):
        if words == "table 2 of 5":
            raise Cancelled

    with pytest.raises(Cancelled):
        rehearse(plan(COLUMNS, 1_000, epsilon=1.0, delta=1e-6, steps=30), progress=cancel)


@pytest.mark.slow("releases models many times over")
def test_the_demonstration_runs_from_the_first_step_to_the_last(monkeypatch):
    monkeypatch.setattr(release, "attack", attack)  # as many times as before a real payment
    data, ledger = demonstration.table(), demonstration.ledger()
    records = read_for_release(COLUMNS, data, demonstration.FILE)
    made = plan(COLUMNS, records.count, epsilon=demonstration.EPSILON, delta=demonstration.DELTA)
    assert ledger.left(demonstration.DATA_SET).more(made.spend) >= 2
    prepared = release.prepare(
        made,
        records,
        about=demonstration.ABOUT,
        ledger=ledger,
        data_set=demonstration.DATA_SET,
        actor=demonstration.ACTOR,
    )
    released = release.seal(release.train(release.pay(prepared, ledger)), ledger)
    result = check(released.certificate.to_yaml(), ledger, released.model)
    assert result.problems == ()
    budget = PrivacyBudget(demonstration.EPSILON, demonstration.DELTA)
    proof = released.certificate.document["proof"]
    assert proof["epsilon"] <= budget.epsilon
    attacked = prepared.attack
    assert 0.3 < attacked.lower_bound < proof["epsilon"]
    assert attacked.mu_lower_bound == pytest.approx(proof["mu"], rel=0.2)
    assert released.receipt.left.epsilon_spent == pytest.approx(budget.epsilon, rel=0.2)
