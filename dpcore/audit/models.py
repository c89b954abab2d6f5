"""Attacks on the survey's models: what each releases before any post-processing, on neighbours.

Statistics and noise are the models' own functions, on records chosen to be told apart; what a model
makes of its release afterwards can only hide more. Where the law of the release is known the score
is its likelihood ratio, or grows with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpcore.audit.attack import Attack, Target
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.models.model import Calibration, generator
from dpcore.models.records import Records, Shape
from dpcore.models.register import model_named

Array = NDArray[np.float64]
Score = Callable[[Calibration, Records, int, int], Array]
"""(calibration, records, runs, seed) -> one score for each independent release; larger for the
first data set."""


@dataclass(frozen=True)
class Setting:
    """Where one model is attacked.

    Parameters
    ----------
    model : str
    adjacency : Adjacency
    first, second : Records
        Neighbours under it.
    score : callable
    about : str
        Neighbours and score, in one plain sentence.
    epsilon, delta : float
        Budget at which the attack has its power.
    gaussian : bool
        Whether scores are normal with one variance on both.
    flags : float
        Share of the noise at which the copy is found out.
    runs : int
    """

    model: str
    adjacency: Adjacency
    first: Records
    second: Records
    score: Score
    about: str
    epsilon: float
    delta: float = 1e-5
    gaussian: bool = True
    flags: float = 2.0 / 3.0
    runs: int = 2_000


def with_noise(calibration: Calibration, share: float) -> Calibration:
    """A copy that draws so much of the noise and promises the same.

    The exponential mechanism's rate is one over its noise.
    """
    return replace(
        calibration,
        noises=tuple(
            replace(
                noise,
                scale=noise.scale / share if noise.law == "exponential" else noise.scale * share,
            )
            for noise in calibration.noises
        ),
    )


def attack(setting: Setting) -> Attack:
    """The attack that a setting describes."""

    def aim(epsilon: float, delta: float) -> Target:
        model = model_named(setting.model)
        made = model.calibrate(setting.first.shape, [epsilon], delta, setting.adjacency)[0]
        if made.proof.epsilon is None:
            raise InvalidInput(
                f"{model.title} proves nothing, but an attack needs a promise to test: "
                f"{made.proof.reason}"
            )

        def scores(share: float, runs: int, seed: int) -> tuple[Array, Array]:
            copy = with_noise(made, share)
            first = setting.score(copy, setting.first, runs, 2 * seed)
            return first, setting.score(copy, setting.second, runs, 2 * seed + 1)

        return Target(made.proof, scores)

    return Attack(
        method=setting.model,
        edition=model_named(setting.model).edition,
        about=setting.about,
        aim=aim,
        epsilon=setting.epsilon,
        delta=setting.delta,
        gaussian=setting.gaussian,
        flags=setting.flags,
        runs=setting.runs,
    )


def records(shape: Shape, rows: Sequence[tuple[float, int, int]]) -> Records:
    """Records of one number x at most, one category c at most, and a label; none is a data set too.

    Parameters
    ----------
    shape : Shape
    rows : sequence of (x, c, label)
    """
    count = len(rows)
    return Records(
        shape,
        np.array([[x] for x, _, _ in rows], dtype=float).reshape(count, -1)[:, : shape.numbers]
        if rows
        else np.zeros((0, shape.numbers)),
        np.array([[c] for _, c, _ in rows], dtype=np.int64)[:, : len(shape.levels)]
        if rows
        else np.zeros((0, len(shape.levels)), dtype=np.int64),
        np.array([label for _, _, label in rows], dtype=np.int64),
    )


def _naive_bayes() -> Setting:
    from dpcore.models.systems import naive_bayes

    shape = Shape(1, 1, (2,))
    one, other = records(shape, [(1.0, 0, 1)]), records(shape, [(1.0, 0, 0)])
    apart = naive_bayes.sums(one) - naive_bayes.sums(other)

    def score(calibration: Calibration, held: Records, runs: int, seed: int) -> Array:
        noisy = naive_bayes.noisy_sums(held, [calibration], runs, seed)[0]
        return np.asarray((noisy * apart).sum(axis=(1, 2)))

    return Setting(
        naive_bayes.KEY,
        Adjacency.REPLACE_ONE,
        one,
        other,
        score,
        "One record of one class, or the same of the other; all noisy sums, projected on what "
        "that changes.",
        epsilon=4.0,
    )


def _pca(key: str) -> Setting:
    from dpcore.models import covariance
    from dpcore.models.systems import pca_gaussian, pca_pure

    module = pca_gaussian if key == pca_gaussian.KEY else pca_pure
    pure = module is pca_pure
    # One feature, so that S is two by two; a point at 1 or none at all.
    shape = Shape(1, 1, ())
    one, none = records(shape, [(1.0, 0, 1)]), records(shape, [])
    centres = [covariance.second_moments(held) for held in (one, none)]

    def score(calibration: Calibration, held: Records, runs: int, seed: int) -> Array:
        unit = np.array(module.noise(shape, runs, seed))
        noisy = covariance.second_moments(held) + calibration.noise.scale * unit
        if not pure:
            return np.asarray((noisy * (centres[0] - centres[1])).sum(axis=(1, 2)))
        far, near = (np.linalg.norm(noisy - centre, axis=(1, 2)) for centre in centres[::-1])
        return np.asarray(far - near)

    return Setting(
        key,
        Adjacency.ADD_REMOVE,
        one,
        none,
        score,
        "One point on the unit sphere, or none; the noisy second moments by their likelihood "
        "ratio.",
        epsilon=2.0 if pure else 4.0,
        gaussian=not pure,
        runs=12_000 if pure else 2_000,
    )


def _k_means() -> Setting:
    from dpcore.models.systems import k_means

    shape = Shape(1, 1, ())
    one, other = records(shape, [(1.0, 0, 1)]), records(shape, [(-1.0, 0, 1)])
    centres, share = np.array([[[0.5], [-0.5]]]), k_means.weight(shape)

    def sums(held: Records) -> Array:
        return np.asarray(k_means.step_sums(held.points(), centres, share)[0])

    apart = sums(one) - sums(other)

    def score(calibration: Calibration, held: Records, runs: int, seed: int) -> Array:
        exact, noise = sums(held), calibration.noise
        unit = np.stack(
            [
                generator(seed, run).standard_normal((noise.times, *exact.shape))
                for run in range(runs)
            ]
        )
        return np.asarray(((exact + noise.scale * unit) * apart).sum(axis=(1, 2, 3)))

    return Setting(
        k_means.KEY,
        Adjacency.REPLACE_ONE,
        one,
        other,
        score,
        "One point in one cluster, or in the other; the noisy sums of all steps, projected on what "
        "that changes.",
        epsilon=4.0,
    )


def _decision_tree() -> Setting:
    from dpcore.mechanisms.exponential import choose
    from dpcore.models.systems import decision_tree

    # Many candidates, of which one record makes one better: its own level's.
    shape = Shape(1, 0, (64,))
    base = [(0.0, 1, 0), (0.0, 2, 0)]
    with_one, without = records(shape, [(0.0, 0, 1), *base]), records(shape, base)

    def score(calibration: Calibration, held: Records, runs: int, seed: int) -> Array:
        split, leaf = calibration.noises
        right, draw = decision_tree.sides(held), generator(seed, 0)
        options = decision_tree.split_scores(right, held.labels)
        asked = choose(draw, np.broadcast_to(options, (runs, len(options))), split.scale)
        counts = decision_tree.label_scores(held.labels[right[:, 0]])
        label = choose(draw, np.broadcast_to(counts, (runs, 2)), leaf.scale)
        return np.asarray((asked == 0) & (label == 1), dtype=float)

    return Setting(
        decision_tree.KEY,
        Adjacency.ADD_REMOVE,
        with_one,
        without,
        score,
        "Two records, and a third whose own level makes one split better; whether that split is "
        "chosen, and its leaf's label is the record's.",
        epsilon=2.0,
        gaussian=False,
        flags=0.5,
        runs=20_000,
    )


def _random_forest() -> Setting:
    from dpcore.mechanisms.exponential import choose
    from dpcore.models.systems import random_forest

    shape = Shape(1, 1, ())
    one, other = records(shape, [(1.0, 0, 1)]), records(shape, [(1.0, 0, 0)])

    def score(calibration: Calibration, held: Records, runs: int, seed: int) -> Array:
        noise, draw = calibration.noise, generator(seed, 0)
        depth = int(calibration.settings["depth"])
        tree = random_forest.grow(shape, depth, draw)
        counts = random_forest.scores(tree, held, depth)[tree.leaves(held, depth)[0]]
        labels = choose(draw, np.broadcast_to(counts, (runs, noise.times, 2)), noise.scale)
        return np.asarray(labels.sum(axis=1), dtype=float)

    return Setting(
        random_forest.KEY,
        Adjacency.REPLACE_ONE,
        one,
        other,
        score,
        "One record of one class, or of the other; how many of its leaves answer the first.",
        epsilon=2.0,
        delta=0.05,
        gaussian=False,
        runs=8_000,
    )


def _online_tree() -> Setting:
    from dpcore.models.systems import online_tree

    shape = Shape(1, 1, ())
    one, none = records(shape, [(1.0, 0, 1)]), records(shape, [])
    # Far on the wrong side, where the loss slopes by 1: a model that came before may lie there.
    far = -online_tree.RADIUS * online_tree.rows(one)
    # The record comes in the first round: these prefixes are single nodes, and all that hold it.
    prefixes = 2 ** np.arange(online_tree.LEVELS) - 1
    apart = online_tree.gradients(online_tree.rows(one), np.ones(1), far)[0]

    def score(calibration: Calibration, held: Records, runs: int, seed: int) -> Array:
        signs = (2 * held.labels - 1).astype(float)
        exact = online_tree.gradients(online_tree.rows(held), signs, far)[0]
        unit = np.stack(
            [
                online_tree.prefix_noise(generator(seed, run), len(exact))[prefixes]
                for run in range(runs)
            ]
        )
        return np.asarray(((exact + calibration.noise.scale * unit) * apart).sum(axis=(1, 2)))

    return Setting(
        online_tree.KEY,
        Adjacency.ZERO_OUT,
        one,
        none,
        score,
        "One record in the first round, or a blank one; the noisy sums of the first 1, 2, 4, … "
        "rounds, projected on its gradient.",
        epsilon=4.0,
        runs=400,
    )


def _votes(shape: Shape) -> tuple[Records, Records, Callable[[Records], Array]]:
    """Teachers evenly split; one of those for label 0 is for 1 where its only record is there."""
    from dpcore.models import teachers

    groups = teachers.teachers(shape)
    base = [(1.0, 0, 1)] * (groups // 2)
    asked = teachers.inputs(records(shape, [(1.0, 0, 0)]))

    def counted(held: Records) -> Array:
        """(1, 2): the same on every query, each record being a teacher's only one."""
        return teachers.votes(held, np.arange(len(held)), groups, asked)

    return records(shape, [*base, (1.0, 0, 1)]), records(shape, base), counted


def _pate() -> Setting:
    from dpcore.models import teachers
    from dpcore.models.systems import pate

    shape = Shape(100, 1, ())
    more, fewer, counted = _votes(shape)

    def score(calibration: Calibration, held: Records, runs: int, seed: int) -> Array:
        noise = calibration.noise
        unit = generator(seed, 0).standard_normal((runs * noise.times, 2))
        signs = teachers.labelled(counted(held), noise.scale, unit)
        return np.asarray(signs.reshape(runs, noise.times).sum(axis=1))

    return Setting(
        pate.KEY,
        Adjacency.ADD_REMOVE,
        more,
        fewer,
        score,
        "Teachers evenly split, and one whose only record is there or not; how many queries get "
        "its label.",
        epsilon=2.0,
        delta=0.05,
        gaussian=False,
        runs=10_000,
    )


def _scalable_pate() -> Setting:
    from dpcore.models import teachers
    from dpcore.models.systems import scalable_pate

    shape = Shape(100, 1, ())
    groups = teachers.teachers(shape)
    more, fewer, counted = _votes(shape)

    def score(calibration: Calibration, held: Records, runs: int, seed: int) -> Array:
        votes, largest = calibration.noises
        draw, counts = generator(seed, 0), np.repeat(counted(held), runs * largest.times, axis=0)
        check, unit = draw.standard_normal(len(counts)), draw.standard_normal(counts.shape)
        passed = np.zeros(len(counts), dtype=bool)
        passed[scalable_pate.agreed(counts, groups, largest.scale, check)] = True
        each = passed.reshape(runs, largest.times)
        answered = each & (np.cumsum(each, axis=1) <= votes.times)
        signs = teachers.labelled(counts, votes.scale, unit).reshape(each.shape)
        return np.asarray(each.sum(axis=1) + (signs * answered).sum(axis=1))

    return Setting(
        scalable_pate.KEY,
        Adjacency.ADD_REMOVE,
        more,
        fewer,
        score,
        "Teachers evenly split, and one whose only record is there or not; how many queries pass "
        "and get its label.",
        epsilon=1.0,
        delta=0.1,
        gaussian=False,
        flags=0.5,
        runs=10_000,
    )


def _noisy_marginals() -> Setting:
    from dpcore.models.systems import noisy_marginals

    # Two columns, the label among them: there is one pair, and nothing to choose.
    shape = Shape(1, 0, (2,))
    one, other = records(shape, [(0.0, 0, 1)]), records(shape, [(0.0, 1, 0)])

    def tables(held: Records) -> tuple[Array, Array]:
        exact = noisy_marginals.counts(held)
        return np.stack(exact.ones), exact.twos[0, 1]

    apart = [first - second for first, second in zip(tables(one), tables(other), strict=True)]

    def score(calibration: Calibration, held: Records, runs: int, seed: int) -> Array:
        columns, _, pairs = calibration.noises
        draw, found = generator(seed, 0), np.zeros(runs)
        for exact, moved, noise in zip(tables(held), apart, (columns, pairs), strict=True):
            noisy = exact + noise.scale * draw.standard_normal((runs, *exact.shape))
            found += (noisy * moved).sum(axis=(1, 2)) / noise.scale**2
        return found

    return Setting(
        noisy_marginals.KEY,
        Adjacency.REPLACE_ONE,
        one,
        other,
        score,
        "One record, or another that shares no value with it; all noisy counts by their likelihood "
        "ratio.",
        epsilon=4.0,
    )


def settings() -> tuple[Setting, ...]:
    """Where each model with a proof is attacked."""
    return (
        _naive_bayes(),
        _pca("pca-gaussian"),
        _pca("pca-pure"),
        _k_means(),
        _decision_tree(),
        _random_forest(),
        _online_tree(),
        _pate(),
        _scalable_pate(),
        _noisy_marginals(),
    )
