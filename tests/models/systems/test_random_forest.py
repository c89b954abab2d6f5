"""The random forest: public splits, exact odds of its leaves, and what the trees cost together."""

import numpy as np
import pytest
from scipy import special, stats

from dpcore.accounting.concentrated import Concentrated, epsilon
from dpcore.guarantee import Adjacency
from dpcore.models.model import ModelTraining
from dpcore.models.records import RecordShape
from dpcore.models.systems import random_forest
from tests.models.attack import blank, extreme, some, together

ZERO = Adjacency.ZERO_OUT
DEPTH = 3


def test_a_record_moves_the_leaves_odds_as_far_as_the_range_says_and_no_further(adjacency):
    draw, furthest = np.random.default_rng(0), 0.0
    common = some(60)
    tree = random_forest.grow(common.shape, DEPTH, draw)
    # Lopsided leaves: there the rare label's odds take all of the change.
    common = common[common.labels == 1]
    common = together(*[common] * 20)
    for _ in range(300):
        one, other = extreme(common.shape, draw), extreme(common.shape, draw)
        left = together(common, blank(common.shape) if adjacency is ZERO else other)
        sets = [random_forest.scores(tree, part, DEPTH) for part in (left, together(common, one))]
        logs = [special.log_softmax(scores, axis=1) for scores in sets]
        # Outcomes of different leaves are independent: the worst label of each leaf adds up.
        ratio = logs[1] - logs[0]
        furthest = max(furthest, *(float(np.abs(f(ratio, axis=1)).sum()) for f in (np.max, np.min)))
    bound = random_forest.RANGE[adjacency]
    assert 0.9 * bound <= furthest <= bound + 1e-9


def test_all_trees_together_keep_the_promise(adjacency):
    shape = RecordShape(1_000, 2, (3,))
    for c in random_forest.MODEL.calibrate(shape, [0.01, 1.0, 60.0, 900.0], 1e-6, adjacency):
        one = c.noise.scale * c.noise.sensitivity
        mixed = epsilon(Concentrated(c.noise.times * one**2 / 8.0), 1e-6)
        assert min(c.noise.times * one, mixed) <= c.requested.epsilon
        assert min(c.noise.times * one, mixed) >= 0.999 * c.requested.epsilon
        assert c.noise.times == c.settings["trees"]


def test_trees_are_grown_without_the_records_and_share_their_first_levels():
    shape = RecordShape(300, 2, (3,))
    records, others = some(300), some(300, seed=9)
    calibrations = random_forest.MODEL.calibrate(shape, [0.1, 50.0], 1e-6, ZERO)
    grown = [
        random_forest.learn(ModelTraining(part, part[:0], calibrations, 1, 5)).trees[0]
        for part in (records, others)
    ]
    for one, other in zip(*grown, strict=True):
        assert np.array_equal(one.column, other.column)
        assert np.array_equal(one.threshold, other.threshold)
        assert np.array_equal(one.right, other.right)
    deep = grown[0][0].leaves(records, DEPTH)
    assert np.array_equal(deep >> 1, grown[0][0].leaves(records, DEPTH - 1))
    assert random_forest.scores(grown[0][0], records, DEPTH).sum() == 300


@pytest.mark.slow("fits many models")
def test_the_leaves_labels_follow_their_law_also_where_nobody_is():
    records = some(40)
    calibration = random_forest.MODEL.calibrate(RecordShape(40, 2, (3,)), [40.0], 1e-6, ZERO)[0]
    rate, depth = calibration.noise.scale, int(calibration.settings["depth"])
    learned = random_forest.learn(ModelTraining(records, records[:0], [calibration], 8, 1))

    def surprise(assumed):
        """Standardised distance of the labels from their law, all leaves together."""
        seen = spread = 0.0
        for run, forest in enumerate(learned.trees):
            for place, tree in enumerate(forest):
                gap = np.diff(random_forest.scores(tree, records, depth), axis=1)[:, 0]
                sign, p = np.sign(gap), special.expit(assumed * np.abs(gap))
                right = (2 * learned.labels[0][run][place] - 1) * sign > 0
                seen += float(((right - p) * (gap != 0)).sum())
                spread += float((p * (1.0 - p) * (gap != 0)).sum())
        return abs(seen) / spread**0.5

    assert surprise(rate) < 3.3
    assert surprise(2.0 / 3.0 * rate) > 5.0
    empty = records[:0]
    nobody = random_forest.learn(ModelTraining(empty, empty, [calibration], 8, 1)).labels[0]
    ones = np.concatenate([labels.ravel() for labels in nobody])
    assert stats.binomtest(int(ones.sum()), len(ones)).pvalue > 1e-3
