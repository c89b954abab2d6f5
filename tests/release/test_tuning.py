"""A release that chooses λ itself: what one record moves, what is paid, and what it says."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets.persons import Persons
from dpcore.errors import InvalidInput
from dpcore.progress import silent
from dpcore.release import demonstration, grid, release, tuning
from dpcore.release.attack import attack
from dpcore.release.certificate import all_tried, certificate
from dpcore.release.check import check, problems_of
from dpcore.release.plan import plan
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.scorer import scorer
from dpcore.release.table import read_for_release

COLUMNS = demonstration.columns()
FACTORS = (0.1, 1.0, 10.0)


def planned(tune=FACTORS, **more):
    return plan(COLUMNS, 3_000, epsilon=1.0, delta=1e-6, tune=tune, steps=20, **more)


def records(random, count):
    """Records with an intercept, of norm at most 1, times their labels, some of them blank."""
    rows = random.normal(size=(3, count))
    rows[-1] = np.abs(rows[-1])
    rows /= np.linalg.norm(rows, axis=0) * 1.001
    return rows * random.choice([-1.0, 0.0, 1.0], count)


def test_one_record_moves_the_score_by_at_most_its_bound_and_a_blank_one_adds_nothing():
    random, kind = np.random.default_rng(3), scorer("logistic", 3, 0)
    weights, moved = random.normal(size=kind.parameters), []
    for _ in range(200):
        table = records(random, 5)
        total = tuning.right(kind, table, weights)
        for changed in (np.zeros(3), records(random, 1)[:, 0]):
            other = table.copy()
            other[:, 2] = changed
            moved.append(abs(tuning.right(kind, other, weights) - total))
    assert max(moved) == grid.UNITS <= grid.bound(kind.parameters)
    blank = np.zeros((3, 4))
    assert tuning.right(kind, blank, weights) == 0
    assert tuning.right(kind, np.full((3, 1), np.nan), weights) == 0


def test_a_person_of_many_rows_moves_the_score_no_further():
    random, kind = np.random.default_rng(4), scorer("logistic", 3, 0)
    weights = random.normal(size=kind.parameters)
    for _ in range(50):
        table = records(random, 7)
        persons = Persons(np.arange(7), np.array([0, 3, 4]), 0)
        each = tuning.contributions(kind, table, weights, np.array([0, 3, 4]))
        assert each.shape == (3,)
        assert 0 <= each.min() <= each.max() <= grid.UNITS
        assert each.sum() == tuning.right(kind, table, weights, persons)


def test_every_try_is_paid_and_together_they_keep_the_budget():
    tuned = planned()
    others = tuned.path.count_sums + tuned.path.score_sums
    assert (tuned.mechanism.steps, tuned.path.score_sums) == (20 + others, 2)
    assert tuned.spend.count == 3 * tuned.mechanism.steps
    assert tuned.all_tried.epsilon(1e-6) <= 1.0 < 1.0001 * tuned.all_tried.epsilon(1e-6)
    assert tuned.at(0.5).spend.count == tuned.spend.count
    assert tuned.tried.startswith("The best of 3 that are trained here: all of them are paid")
    assert planned(()).path.score_sums == 0


@pytest.mark.parametrize(
    ("tune", "more", "words"),
    [
        ((1.0,), {}, "settings to choose from is 1"),
        ((1.0, 1.0), {}, "settings to choose from is 2"),
        ((1.0, 0.0), {}, "λ factor is 0"),
        ((1.0, 1e6), {}, "λ factor is 1"),
        (FACTORS, {"chosen_of": 2}, "settings tried is 2"),
    ],
)
def test_what_is_no_list_to_choose_from_is_refused(tune, more, words):
    with pytest.raises(InvalidInput, match=words):
        planned(tune, **more)


def test_all_noise_is_of_the_mechanisms_scale_and_no_sum_is_drawn_unpaid():
    tuned, drawn = planned(corrected=True), []

    def note(sigma, count):
        drawn.append((sigma, count))
        return [0] * count

    table = records(np.random.default_rng(5), 40)
    kind = scorer("logistic", 3, 0)
    path = replace(tuned.path, scorer=kind, records=40)
    mechanism = replace(tuned.mechanism, dimension=kind.parameters)
    tuning.best(table, mechanism, path, FACTORS, note, silent)
    assert {sigma for sigma, _ in drawn} == {mechanism.sigma}
    trained, scored = (sum(count == size for _, count in drawn) for size in (kind.parameters, 1))
    assert (trained, scored) == (60, 6)
    assert len(drawn) + 3 * path.count_sums == tuned.spend.count


def test_without_noise_the_setting_that_decides_best_is_kept():
    random, kind = np.random.default_rng(6), scorer("logistic", 3, 0)
    table = records(random, 400)
    table[0] = np.abs(table[0])  # the first column tells the label
    tuned = planned()
    path = replace(tuned.path, scorer=kind, records=400)
    mechanism = replace(tuned.mechanism, dimension=kind.parameters)
    weights, kept = tuning.best(
        table, mechanism, path, FACTORS, lambda _, count: [0] * count, silent
    )
    scores = [
        tuning.right(kind, table, tuning.best(table, mechanism, path, (each,), _zero, silent)[0])
        for each in FACTORS
    ]
    assert tuning.right(kind, table, weights) == max(scores)
    assert kept.lam == path.lam * FACTORS[scores.index(max(scores))]


def _zero(_, count):
    return [0] * count


@pytest.fixture(scope="module")
def tuned():
    """A ledger, and a release that chose among three settings."""
    table = read_for_release(COLUMNS, demonstration.table(), "made.csv")
    ledger = demonstration.ledger()
    released = release.release_model(
        table,
        about=demonstration.ABOUT,
        ledger=ledger,
        data_set=demonstration.DATA_SET,
        actor=demonstration.ACTOR,
        epsilon=0.3,
        delta=1e-6,
        steps=5,
        tune=FACTORS,
    )
    return ledger, released


def test_the_certificate_names_the_settings_and_holds_against_the_ledger(tuned):
    ledger, released = tuned
    facts, proof = (released.certificate.document[name] for name in ("facts", "proof"))
    assert facts["choice"] == {"among": 3, "factors": list(FACTORS)}
    assert proof["choice"] == "chosen among 3, all trained and scored with noise"
    assert "all 3 models that it was chosen among, and" in released.certificate.document["claim"]
    files = {name: lambda data=data: data for name, data in released.files().items()}
    assert check(released.certificate.to_yaml(), ledger, files=files, are_all=True).problems == ()
    (spend,) = [
        each.details["spend"]
        for each in ledger.history(demonstration.DATA_SET)
        if each.kind == "spent"
    ]
    assert spend["count"] == 3 * facts["mechanism"]["steps"]


def test_another_list_of_settings_is_found(tuned):
    ledger, released = tuned
    original = released.certificate.document["facts"]
    for choice in ({"among": 3}, {"among": 2, "factors": list(FACTORS)}):
        with pytest.raises(InvalidInput):
            certificate({**original, "choice": choice})
    fewer = certificate({**original, "choice": {"among": 2, "factors": [0.1, 1.0]}})
    assert problems_of(fewer) == []
    assert "The ledger was paid for another mechanism." in problems_of(fewer, ledger)


def test_an_attack_on_all_tries_finds_two_thirds_of_the_noise_and_not_the_right_one(tuned):
    whole = all_tried(tuned[1].certificate.document["facts"])
    kind = planned().path.scorer

    def quieter(sigma, count):
        return rounded_gaussians(2 * sigma // 3, count)

    assert attack(whole, kind, 1e-6, runs=100_000).above(whole) == ""
    assert attack(whole, kind, 1e-6, runs=100_000, draw=quieter).above(whole)
