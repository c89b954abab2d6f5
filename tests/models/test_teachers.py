"""PATE in both forms: how far a record moves the votes, what queries cost, what is learned."""

import math

import numpy as np
import pytest
from dp_accounting import ComposedDpEvent, GaussianDpEvent, SelfComposedDpEvent
from dp_accounting.pld import PLDAccountant
from scipy import stats

from dpcore.guarantee import Adjacency
from dpcore.models import teachers
from dpcore.models.model import ModelTraining, generator, noiseless
from dpcore.models.records import RecordShape
from dpcore.models.systems import pate, scalable_pate
from tests.models.attack import blank, extreme, obeys, some, together

ZERO, REPLACE = Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE
SHAPE = RecordShape(2_000, 3, (3,))


def test_a_record_moves_one_vote_a_query_and_no_more(adjacency):
    draw, furthest, largest = np.random.default_rng(0), 0.0, 0.0
    points = teachers.inputs(some(40, seed=3))
    for _ in range(150):
        common = some(12, seed=int(draw.integers(1_000)))
        one, other = extreme(common.shape, draw), extreme(common.shape, draw)
        left = together(common, blank(common.shape) if adjacency is ZERO else other)
        teacher = draw.integers(0, 5, 13)
        counts = [
            teachers.votes(part, teacher[: len(part)], 5, points)
            for part in (left, together(common, one))
        ]
        assert (counts[0].sum(axis=1) == 5).all()
        moved = np.linalg.norm(counts[1] - counts[0], axis=1)
        furthest = max(furthest, float(moved.max()))
        largest = max(largest, float(np.abs(counts[1].max(axis=1) - counts[0].max(axis=1)).max()))
    assert 0.999999 * teachers.PER_QUERY <= furthest <= teachers.PER_QUERY
    assert largest == 1.0


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize(("system", "kind"), [(pate, ZERO), (scalable_pate, REPLACE)])
def test_the_account_is_that_of_dp_accounting(system, kind, epsilon):
    c = system.MODEL.calibrate(SHAPE, [epsilon], 1e-6, kind)[0]
    events = [
        SelfComposedDpEvent(GaussianDpEvent(noise.scale / noise.sensitivity), noise.times)
        for noise in c.noises
    ]
    accountant = PLDAccountant(value_discretization_interval=1e-3).compose(ComposedDpEvent(events))
    assert accountant.get_epsilon(1e-6) == pytest.approx(epsilon, rel=0.01)
    assert c.noises[0].times <= c.noises[-1].times


def test_no_more_queries_are_asked_or_answered_than_are_paid_for():
    shape = some(300).shape
    for calibrate in (pate.MODEL.calibrate, scalable_pate.MODEL.calibrate):
        for c in calibrate(shape, [0.01, 1.0, 1e3], 1e-6, ZERO):
            assert 1 <= c.noises[0].times <= 37  # half of the public number of test records
    c = scalable_pate.MODEL.calibrate(shape, [1e3], 1e-6, ZERO)[0]
    unanimous = np.tile([0.0, 17.0], (40, 1))
    places = scalable_pate.agreed(unanimous, 17, c.noises[1].scale, np.zeros(40))
    assert list(places) == list(range(40))
    split = np.tile([8.0, 9.0], (40, 1))
    assert len(scalable_pate.agreed(split, 17, 1e-9, np.zeros(40))) == 0


def test_labels_follow_the_law_of_noisy_votes():
    counts, sigma = np.tile([10.0, 13.0], (20_000, 1)), 4.0
    unit = np.random.default_rng(0).standard_normal(counts.shape)
    ones = int((teachers.labelled(counts, sigma, unit) > 0.0).sum())

    def p(scale):
        return float(
            stats.binomtest(ones, 20_000, stats.norm.cdf(3.0 / (math.sqrt(2.0) * scale))).pvalue
        )

    assert p(sigma) > 1e-3
    assert p(2.0 / 3.0 * sigma) < 1e-9
    assert p(1.5 * sigma) < 1e-9


def test_each_record_draws_its_teacher_by_itself():
    draw = np.random.default_rng(0)
    teacher = teachers.assigned(50_000, 10, draw)
    assert stats.chisquare(np.bincount(teacher, minlength=10)).pvalue > 1e-3
    assert obeys(teacher + draw.random(50_000), stats.uniform(0.0, 10.0))


@pytest.mark.parametrize("system", [pate, scalable_pate])
def test_the_student_learns_from_labels_that_were_released(system):
    train, rest = some(2_000, numbers=3), some(1_000, numbers=3, seed=1)
    unlabelled, test = rest[:500], rest[500:]
    calibrations = system.MODEL.calibrate(train.shape, [0.01, 8.0], 1e-5, ZERO)
    learned = system.MODEL.learn(ModelTraining(train, unlabelled, calibrations, 3, 0))
    result = teachers.judge(learned, test)
    exact = noiseless(system.MODEL.calibrate(train.shape, [1e3], 1e-5, ZERO)[0])
    limit = teachers.judge(
        system.MODEL.learn(ModelTraining(train, unlabelled, [exact], 3, 0)), test
    )
    assert result[1].mean() > result[0].mean() + 0.1
    share = float(test.labels.mean())
    assert limit.mean() > max(share, 1.0 - share) + 0.1
    # The labels of the public points are not used.
    blind = type(unlabelled)(
        unlabelled.shape, unlabelled.numbers, unlabelled.categories, 0 * unlabelled.labels
    )
    assert np.array_equal(
        system.MODEL.learn(ModelTraining(train, blind, calibrations, 3, 0)), learned
    )


def test_scalable_pate_checks_and_answers_as_it_was_calibrated():
    c = scalable_pate.MODEL.calibrate(SHAPE, [0.3], 1e-6, ZERO)[0]
    # A run in which more are clear than may be answered, and less noise would clear another.
    (votes, largest), groups = c.noises, teachers.teachers(SHAPE)
    draw, counts = generator(0, 32), np.tile([0.0, float(groups)], (largest.times, 1))
    draw.standard_normal(counts.shape)
    clear = scalable_pate.agreed(counts, groups, largest.scale, draw.standard_normal(largest.times))
    ((places, _),) = scalable_pate.answers(counts, [c], generator(0, 32))
    assert len(clear) > votes.times
    assert places.tolist() == clear[: votes.times].tolist()
