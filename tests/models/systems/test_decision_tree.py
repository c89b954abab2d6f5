"""The private tree: how far one record moves its scores, its exact odds, and what it learns."""

import math
from collections import Counter

import numpy as np
import pytest
from scipy import special, stats

from dpcore.guarantee import Adjacency
from dpcore.models.model import ModelTraining
from dpcore.models.records import Records, RecordShape
from dpcore.models.systems import decision_tree
from tests.models.attack import blank, extreme, some, together

ZERO = Adjacency.ZERO_OUT
SHAPE = RecordShape(40, 1, (2,))


def sides(records):
    """Whether each record goes right at each public split, told by its values, (n, splits)."""
    above = records.numbers[:, :, None] > decision_tree.THRESHOLDS
    levels = [
        records.categories[:, [column]] == np.arange(count)
        for column, count in enumerate(records.shape.levels)
    ]
    return np.hstack([above.reshape(len(records), math.prod(above.shape[1:])), *levels])


def of_splits(records):
    return decision_tree.split_scores(decision_tree.codes(records), records.labels, records.shape)


@pytest.mark.parametrize("numbers", [0, 3])
def test_scores_count_who_is_told_rightly_on_either_side(numbers):
    drawn = together(some(60, numbers=3, levels=(3, 2)), blank(RecordShape(60, 3, (3, 2))))
    shape = RecordShape(61, numbers, (3, 2))
    records = Records(shape, drawn.numbers[:, :numbers], drawn.categories, drawn.labels)
    ones, zeros = records.labels == 1, records.labels == 0
    counted = [
        max(np.sum(side & ones), np.sum(side & zeros))
        + max(np.sum(~side & ones), np.sum(~side & zeros))
        for side in sides(records).T
    ]
    assert of_splits(records).tolist() == counted
    offered = decision_tree.public_splits(records.shape)
    for split, side in enumerate(sides(records).T):
        told = offered.right(decision_tree.codes(records), np.full(len(records), split))
        assert np.array_equal(told, side)


def odds_of(records, rate):
    """Log-probability of every tree of depth 1 (split, label, label), exactly."""
    right, result = sides(records), {}
    first = special.log_softmax(rate * of_splits(records))
    for split, log_p in enumerate(first.tolist()):
        leaves = [
            special.log_softmax(rate * decision_tree.label_scores(records.labels[side]))
            for side in (~right[:, split], right[:, split])
        ]
        for one in (0, 1):
            for other in (0, 1):
                result[split, one, other] = log_p + leaves[0][one] + leaves[1][other]
    return result


def furthest(pairs, rate):
    return max(
        abs(one[tree] - other[tree])
        for one, other in ((odds_of(a, rate), odds_of(b, rate)) for a, b in pairs)
        for tree in one
    )


def pairs(adjacency):
    draw, result = np.random.default_rng(0), []
    for count in [0, 1, 2, 5] * 8:
        common = some(count, numbers=1, levels=(2,), seed=count)
        one, other = extreme(SHAPE, draw), extreme(SHAPE, draw)
        left = together(common, blank(common.shape) if adjacency is ZERO else other)
        result.append((left, together(common, one)))
    return [*result, worst(adjacency)]


def alike(count, x, level, label):
    return Records(SHAPE, np.full((count, 1), x), np.full((count, 1), level), np.full(count, label))


def worst(adjacency):
    """The thresholds tell everyone rightly; the one record gains for the hopeless splits only."""
    base = together(alike(401, -1.0, 0, 0), alike(400, 1.0, 0, 1))
    left = blank(SHAPE) if adjacency is ZERO else alike(1, 1.0, 0, 1)
    return together(base, left), together(base, alike(1, 1.0, 1, 0))


def test_one_choice_reaches_its_share_of_epsilon(adjacency):
    c = decision_tree.MODEL.calibrate(SHAPE, [1.0], 1e-5, adjacency)[0]
    for noise, scores in (
        (c.noises[0], of_splits),
        (c.noises[1], lambda r: decision_tree.label_scores(r.labels)),
    ):
        one, other = worst(adjacency)
        if noise is c.noises[1]:  # a leaf of a clear majority
            one, other = together(alike(400, 1.0, 0, 0), one[-1:]), alike(401, 1.0, 0, 0)
            if adjacency is ZERO:
                base = alike(400, 1.0, 0, 0)
                one, other = together(base, blank(SHAPE)), together(base, alike(1, 1.0, 0, 1))
        ratio = special.log_softmax(noise.scale * scores(one)) - special.log_softmax(
            noise.scale * scores(other)
        )
        assert 0.49 <= np.abs(ratio).max() <= 0.5


def test_no_neighbours_odds_differ_by_more_than_epsilon(adjacency):
    calibration = decision_tree.MODEL.calibrate(SHAPE, [1.0], 1e-5, adjacency)[0]
    assert calibration.settings == {"depth": 1}
    assert (calibration.proof.epsilon, calibration.proof.delta) == (1.0, 0.0)
    rate, cases = calibration.noise.scale, pairs(adjacency)
    # The split and its leaves can't be at their worst at once: a record that a split tells rightly
    # makes its own leaf surer.
    assert 0.7 <= furthest(cases, rate) <= 1.0
    assert furthest(cases, 1.5 * rate) > 1.0  # ⅔ of the noise is found out


def test_the_levels_together_cost_no_more_than_epsilon(adjacency):
    large = RecordShape(100_000, 3, (4,))
    for c in decision_tree.MODEL.calibrate(large, [0.01, 1.0, 30.0], 1e-5, adjacency):
        assert c.noise.times == c.settings["depth"]
        spent = sum(noise.times * noise.scale * noise.sensitivity for noise in c.noises)
        assert 0.999999 * c.requested.epsilon <= spent <= c.requested.epsilon
    assert c.settings["depth"] == decision_tree.DEEPEST


def test_trees_are_drawn_by_their_law():
    records = some(12, numbers=1, levels=(2,))
    calibration = decision_tree.MODEL.calibrate(SHAPE, [2.0], 1e-5, ZERO)[0]
    fits = decision_tree.learn(ModelTraining(records, records[:0], [calibration], 3_000, 0))[0]
    seen = Counter((int(t.splits[0][0]), int(t.labels[0]), int(t.labels[1])) for t in fits)

    def pvalue(rate):
        law = odds_of(records, rate)
        expected = np.array([3_000 * math.exp(law[tree]) for tree in law])
        return float(stats.chisquare([seen[tree] for tree in law], expected).pvalue)

    assert pvalue(calibration.noise.scale) > 1e-3
    assert pvalue(2.0 / 3.0 * calibration.noise.scale) < 1e-6


@pytest.mark.slow("fits many models")
def test_a_node_that_nobody_reaches_is_split_and_labelled_like_any_other():
    calibration = decision_tree.MODEL.calibrate(RecordShape(10_000, 1, (2,)), [4.0], 1e-5, ZERO)[0]
    empty = some(0, numbers=1, levels=(2,))
    fits = decision_tree.learn(ModelTraining(empty, empty, [calibration], 200, 0))[0]
    depth = int(calibration.settings["depth"])
    assert depth > 1
    assert {len(fit.labels) for fit in fits} == {2**depth}
    assert [len(level) for level in fits[0].splits] == [2**level for level in range(depth)]
    labels = np.concatenate([fit.labels for fit in fits])
    assert stats.binomtest(int(labels.sum()), len(labels)).pvalue > 1e-3
