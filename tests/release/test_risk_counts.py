"""Counts of scores that correct a released model's risks: bound, noise, curve, files, and use."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from dpcore.datasets.persons import Persons
from dpcore.erm.recalibration import KNOTS, knots
from dpcore.errors import InvalidInput
from dpcore.release import grid, risk_counts
from dpcore.release import release as releasing
from dpcore.release.attack import attack
from dpcore.release.certificate import certificate
from dpcore.release.check import check
from dpcore.release.mechanism import Mechanism
from dpcore.release.model import ReleasedModel, preparation_for
from dpcore.release.plan import plan
from dpcore.release.prediction import predict
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.scorer import Linear
from tests.release.test_release import (
    COLUMNS,
    data,
    ledger_with,
    outputs,
    release_table,
    released_from,
)
from tests.release.test_rounded_gaussian import assert_is_normal

LINEAR = Linear("logistic", 7)
CURVED = ReleasedModel(
    COLUMNS,
    "plain",
    "logistic",
    (0.5, -1.0, 0.25, 2.0, 1.5, -0.5, 0.1),
    ((-1.5, -0.2, 0.1, 1.0), (-3.0, -0.5, -0.5, 2.0)),
)


def wild_rows(count, dimension, seed):
    """Rows of all kinds, blank and absurd ones among them, times a label."""
    draw = np.random.default_rng(seed)
    rows = draw.normal(size=(dimension, count)) * 10.0 ** draw.integers(-3, 3, count)
    rows[:, ::7] = 0.0
    rows[draw.integers(0, dimension, 9), draw.integers(0, count, 9)] = [
        *(np.nan, np.inf, -np.inf, 1e308, -1e308, 1.0, -1.0, 0.0, 1e-320)
    ]
    return rows


@pytest.mark.slow("releases models many times over")
@pytest.mark.parametrize("most", [1, 5])
def test_no_record_adds_more_than_one_unit_whatever_its_rows_are(most):
    draw = np.random.default_rng(most)
    weights, signed = draw.normal(size=6), wild_rows(400, 6, most)
    first = np.arange(0, 400, most) if most > 1 else None
    found = risk_counts.contributions(LINEAR, signed, weights, knots(weights), first)
    assert found.dtype == np.int64
    assert found.min() >= 0
    assert found.sum(axis=1).max() <= grid.UNITS
    squared = (found.astype(object) ** 2).sum(axis=1)
    assert max(squared) <= grid.UNITS**2 <= grid.bound(6) ** 2
    assert found.sum(axis=1).max() > 0.99 * grid.UNITS
    for adjacency, times in (("zero-out", 1.0), ("replace-one", math.sqrt(2.0))):
        made = Mechanism(adjacency, 6, grid.UNITS, 1, 1)
        farthest = risk_counts.distance(LINEAR, made, most)
        assert farthest == pytest.approx(times * grid.UNITS)
        assert farthest <= made.sensitivity
        if adjacency == "replace-one":
            between = found[:, None] - found[None, :]
            assert (between.astype(float) ** 2).sum(axis=2).max() <= farthest**2 * (1 + 1e-12)


def test_two_tables_that_differ_in_one_person_differ_in_one_vector():
    draw = np.random.default_rng(3)
    weights = draw.normal(size=4)
    for _ in range(30):
        rows = [wild_rows(int(draw.integers(1, 5)), 4, int(draw.integers(1e6))) for _ in range(9)]
        other = [*rows[:4], wild_rows(int(draw.integers(1, 5)), 4, 99), *rows[5:]]
        sums, own = [], []
        for table in (rows, other):
            for vectors, of in ((sums, table), (own, table[4:5])):
                sizes = np.array([each.shape[1] for each in of])
                persons = Persons(np.arange(sizes.sum()), np.cumsum(sizes) - sizes, 0)
                signed = np.concatenate(of, axis=1)
                vectors.append(risk_counts.counts(LINEAR, signed, weights, persons))
        np.testing.assert_array_equal(sums[0] - sums[1], own[0] - own[1])
        assert math.dist(*(each.tolist() for each in sums)) <= 2.0 * grid.UNITS


def test_a_row_counts_the_same_wherever_it_stands():
    draw = np.random.default_rng(4)
    weights, signed = draw.normal(size=30), wild_rows(20_000, 30, 5) / 40.0
    whole = risk_counts.contributions(LINEAR, signed, weights, knots(weights))
    for begin, end in ((0, 1), (5, 8), (777, 9_999)):
        part = risk_counts.contributions(LINEAR, signed[:, begin:end], weights, knots(weights))
        np.testing.assert_array_equal(part, whole[begin:end])
    np.testing.assert_array_equal(risk_counts.counts(LINEAR, signed, weights), whole.sum(axis=0))


def test_counts_are_those_of_records_by_outcome():
    table = release_table().table
    rows = grid.rows(table.entry, table.frame, preparation_for("plain"))
    weights = np.array(CURVED.weights)
    found = risk_counts.counts(LINEAR, rows * table.label.astype(float), weights).reshape(2, KNOTS)
    for outcome, row in ((-1, found[0]), (1, found[1])):
        assert row.sum() == (table.label == outcome).sum() * grid.UNITS
        mean = (row * knots(weights)).sum() / row.sum()
        scores = grid.products(rows, weights)[table.label == outcome]
        assert mean == pytest.approx(scores.mean(), abs=1e-5)


@pytest.mark.parametrize("sums", [1, 3])
def test_the_right_noise_is_on_the_counts_and_less_or_more_would_be_seen(sums):
    made = plan(COLUMNS, 300, epsilon=1.0, delta=1e-6).mechanism
    nobody, weights = np.zeros((made.dimension, 1)), np.ones(made.dimension)
    drawn = [
        risk_counts.noisy_counts(LINEAR, nobody, weights, made, sums, rounded_gaussians)
        for _ in range(80)
    ]
    assert_is_normal(np.ravel(drawn) * made.units * math.sqrt(sums) / made.sigma)


@pytest.mark.slow("releases models many times over")
@pytest.mark.parametrize("adjacency", ["zero-out", "replace-one"])
@pytest.mark.parametrize("rows", [None, 3])
def test_the_attack_reaches_the_counts(adjacency, rows, monkeypatch):
    made = plan(COLUMNS, 300, epsilon=1.0, delta=1e-6, adjacency=adjacency).mechanism

    def found():
        return attack(made, LINEAR, 1e-6, rows, counted=True, runs=20_000).above(made)

    assert found() == ""
    real, noisy = risk_counts.counts, risk_counts.noisy_counts
    with monkeypatch.context() as faulty:
        faulty.setattr(risk_counts, "counts", lambda *given: 3 * real(*given))
        assert found()
    with monkeypatch.context() as faulty:
        faulty.setattr(
            risk_counts,
            "noisy_counts",
            lambda scorer, signed, weights, used, *rest: noisy(
                scorer, signed, weights, replace(used, sigma=used.sigma // 2), *rest
            ),
        )
        assert found()


def test_counts_are_some_of_the_sums_and_the_budget_is_kept():
    settings: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6}
    for records in (20, 3_000, 10**6):
        plain = plan(COLUMNS, records, corrected=False, **settings)
        made = plan(COLUMNS, records, corrected=True, **settings)
        sums = made.path.count_sums
        assert (plain.path.count_sums, made.mechanism.steps) == (0, plain.mechanism.steps + sums)
        assert 1 <= sums <= 0.07 * made.mechanism.steps
        assert made.mechanism.epsilon(1e-6) <= 1.0
        assert made.spend.count == made.mechanism.steps
        assert made.at(2.0).path.count_sums == sums
    # Unless they are asked for, only where the noise on a count is small beside n.
    for records, is_corrected in ((300, False), (3_000, True)):
        asked = plan(COLUMNS, records, corrected=True, **settings)
        precise = risk_counts.noise(asked.mechanism, asked.path.count_sums) <= records / 100
        made = plan(COLUMNS, records, **settings)
        assert (made.path.count_sums > 0, precise) == (is_corrected, is_corrected)
    assert plan(COLUMNS, 300, loss="huber", **settings).path.count_sums == 0
    with pytest.raises(InvalidInput, match="logistic loss only"):
        plan(COLUMNS, 300, loss="huber", corrected=True, **settings)
    with pytest.raises(InvalidInput, match="steps is 10000, but it must be at most 9 999"):
        plan(COLUMNS, 300, steps=10_000, corrected=True, **settings)


def test_no_plan_draws_sums_that_nobody_pays():
    made = plan(COLUMNS, 300, epsilon=4.0, delta=1e-6, steps=12, corrected=True)
    for count_sums in (-1, made.mechanism.steps, 10 * made.mechanism.steps):
        with pytest.raises(InvalidInput, match="train nothing"):
            replace(made, path=replace(made.path, count_sums=count_sums))
    for dimension in (1, made.mechanism.dimension - 1, made.mechanism.dimension + 1):
        with pytest.raises(InvalidInput, match="number of weights"):
            replace(made, mechanism=replace(made.mechanism, dimension=dimension))


@pytest.mark.parametrize("weights", [np.zeros(7), np.full(7, 1e-300), np.full(7, 1e90)])
def test_a_curve_comes_of_any_counts(weights):
    """What fails here would fail after the payment."""
    draw, zero = np.random.default_rng(6), np.zeros((7, 1))
    for epsilon, records in ((0.001, 2), (1.0, 300), (20.0, 10**7)):
        made = plan(COLUMNS, records, epsilon=epsilon, delta=1e-6, corrected=True)
        scales = (0.0, 1.0, 1e3)
        for scale in scales:

            def noise(sigma, count, scale=scale):
                return [int(scale * sigma * each) for each in draw.normal(size=count)]

            signed = zero if scale else wild_rows(50, 7, 8)
            points = risk_counts.corrected(
                LINEAR, signed, weights, made.mechanism, made.path.count_sums, noise
            )
            ReleasedModel(COLUMNS, "plain", "logistic", (0.0,) * 7, points)


@pytest.fixture(scope="module")
def paid():
    ledger = ledger_with("memory")
    return ledger, released_from(ledger, corrected=True)


def test_a_certificate_says_that_risks_are_corrected(paid):
    ledger, released = paid
    document = released.certificate.document
    facts = document["facts"]
    assert released.model.risks is not None
    assert (facts["training"]["count_sums"], facts["mechanism"]["steps"]) == (1, 13)
    assert "the correction of the risks are (4," in document["claim"]
    assert check(released.certificate.to_yaml(), ledger, released.model).problems == ()
    for wrong in (13, -1, True, None):
        forged = {**facts, "training": {**facts["training"], "count_sums": wrong}}
        with pytest.raises(InvalidInput, match="count sums"):
            certificate(forged)


def test_a_curve_is_the_last_thing_that_is_measured(monkeypatch):
    asked: list[tuple[int, int]] = []

    def draw(sigma, count):
        asked.append((sigma, count))
        return rounded_gaussians(sigma, count)

    monkeypatch.setattr(releasing, "rounded_gaussians", draw)
    released = released_from(ledger_with("memory"), corrected=True)
    mechanism = released.certificate.document["facts"]["mechanism"]
    assert asked == [(mechanism["sigma"], risk_counts.CELLS)]
    assert released_from(ledger_with("memory"), corrected=False).model.risks is None
    assert len(asked) == 1


def test_predictions_and_onnx_are_corrected():
    table = release_table().table
    assert CURVED.risks is not None
    plain = replace(CURVED, risks=None).scores(table.frame)
    expected = np.interp(plain, *map(np.array, CURVED.risks))
    assert np.ptp(expected) > 1.0
    np.testing.assert_allclose(CURVED.scores(table.frame), expected, rtol=0, atol=1e-12)
    score, risk = outputs(CURVED, "score", "risk")
    np.testing.assert_allclose(score, expected, rtol=0, atol=1e-6)
    np.testing.assert_allclose(risk, expit(expected), rtol=0, atol=1e-6)
    rows = list(csv.reader(io.StringIO(predict(CURVED, data(), "t.csv"))))[1:]
    np.testing.assert_allclose([float(row[1]) for row in rows], expit(expected), atol=1e-12)
    assert [row[2] == "'=yes" for row in rows] == list(expected > 0.0)


def test_a_curve_survives_its_file_and_nothing_else_is_taken():
    assert ReleasedModel.from_json(CURVED.to_json()) == CURVED
    assert replace(CURVED, risks=None).hash != CURVED.hash
    document = json.loads(CURVED.to_json())
    right = document["risks"]
    scores, values = right["scores"], right["log_odds"]
    for wrong in (
        {"scores": [0.0], "log_odds": [0.0]},
        {**right, "more": 1},
        {"scores": scores},
        *({**right, "scores": each} for each in (scores[::-1], [0.0, 0.0, 1.0, 2.0], 1.0)),
        *({**right, "log_odds": each} for each in (values[::-1], values[1:])),
        *({**right, "scores": [*scores[:3], bad]} for bad in ("1", True, 1e300)),
        {"scores": list(range(101)), "log_odds": list(range(101))},
        "risks",
    ):
        with pytest.raises(InvalidInput):
            ReleasedModel.from_json(json.dumps({**document, "risks": wrong}))
    with pytest.raises(InvalidInput, match="logistic"):
        ReleasedModel.from_json(json.dumps({**document, "loss": "huber"}))
