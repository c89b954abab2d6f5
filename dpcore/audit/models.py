"""Attacks on the survey's models: what each releases before any post-processing, on neighbours.

What is attacked is drawn by the functions that the models learn with, on records chosen to be told
apart; what a model makes of its release afterwards can only hide more. Nothing here draws noise of
its own, and none is left out. Where the law of the release is known the score is its likelihood
ratio, or grows with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.audit.attack import Attack, Target
from dpcore.audit.neighbours import table
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Guarantee
from dpcore.models import teachers
from dpcore.models.model import ModelCalibration, generator
from dpcore.models.records import Records, RecordShape, encode
from dpcore.models.register import model_named

Array = NDArray[np.float64]
Score = Callable[[ModelCalibration, Records, int, int], Array]
"""(calibration, records, runs, seed) -> one score for each independent release; larger for the
first data set."""
Row = tuple[float, int, int] | None
BLANKED: Row = None
"""What a record is in the neighbour under zero-out: a row without anything in it."""


@dataclass(frozen=True)
class ModelSetting:
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
    promise : callable
        (calibration) -> what should hold of the score: all that is proved, or that of one choice
        where the score is made of that alone.
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
    promise: Callable[[ModelCalibration], Guarantee] = attrgetter("proof")


def with_noise(calibration: ModelCalibration, share: float) -> ModelCalibration:
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


def attack(setting: ModelSetting) -> Attack:
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

        return Target(setting.promise(made), scores)

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


def records(shape: RecordShape, rows: Sequence[Row]) -> Records:
    """Training records of a table of one's own, written out, read and prepared as any other.

    Parameters
    ----------
    shape : RecordShape
    rows : sequence of (x, c, label), or `BLANKED`
        x is every number of the record, c every category.
    """
    levels = [f"l{level}" for level in range(max((2, *shape.levels)))]
    columns = [f"x{place}: -1 to 1" for place in range(shape.numbers)]
    columns += [
        f"c{place}: one of {', '.join(levels[:count])}" for place, count in enumerate(shape.levels)
    ]

    def fields(row: Row) -> list[str]:
        if row is None:
            return []
        x, c, label = row
        return [*shape.numbers * [repr(x)], *len(shape.levels) * [levels[c]], str(label)]

    train, _ = encode(table(columns, "label: one of 0, 1", [fields(row) for row in rows]))
    return replace(train, shape=shape)


def _naive_bayes() -> ModelSetting:
    from dpcore.models.systems import naive_bayes

    shape = RecordShape(1, 1, (2,))
    one, other = records(shape, [(1.0, 0, 1)]), records(shape, [(1.0, 0, 0)])
    apart = naive_bayes.sums(one) - naive_bayes.sums(other)

    def score(calibration: ModelCalibration, held: Records, runs: int, seed: int) -> Array:
        noisy = naive_bayes.noisy_sums(held, [calibration], runs, seed)[0]
        return np.asarray((noisy * apart).sum(axis=(1, 2)))

    return ModelSetting(
        naive_bayes.KEY,
        Adjacency.REPLACE_ONE,
        one,
        other,
        score,
        "One record of one class, or the same of the other; all noisy sums, projected on what "
        "that changes.",
        epsilon=4.0,
    )


def _pca(key: str) -> ModelSetting:
    from dpcore.models import covariance
    from dpcore.models.systems import pca_gaussian, pca_pure

    module = pca_gaussian if key == pca_gaussian.KEY else pca_pure
    pure = module is pca_pure
    # One feature, so that S is two by two; a point at 1 or a blank record.
    shape = RecordShape(1, 1, ())
    one, none = records(shape, [(1.0, 0, 1)]), records(shape, [BLANKED])
    centres = [covariance.second_moments(held) for held in (one, none)]

    def score(calibration: ModelCalibration, held: Records, runs: int, seed: int) -> Array:
        draws = module.noise(shape, runs, seed)
        noisy = covariance.released(covariance.second_moments(held), calibration, draws)
        if not pure:
            return np.asarray((noisy * (centres[0] - centres[1])).sum(axis=(1, 2)))
        far, near = (np.linalg.norm(noisy - centre, axis=(1, 2)) for centre in centres[::-1])
        return np.asarray(far - near)

    return ModelSetting(
        key,
        Adjacency.ZERO_OUT,
        one,
        none,
        score,
        "One point on the unit sphere, or blanked; the noisy second moments by their likelihood "
        "ratio.",
        epsilon=2.0 if pure else 4.0,
        gaussian=not pure,
        runs=12_000 if pure else 2_000,
    )


def _k_means() -> ModelSetting:
    from dpcore.models.systems import k_means

    shape = RecordShape(1, 1, ())
    one, other = records(shape, [(1.0, 0, 1)]), records(shape, [(-1.0, 0, 1)])
    share = k_means.weight(shape)

    def score(calibration: ModelCalibration, held: Records, runs: int, seed: int) -> Array:
        found = np.zeros(runs)
        for step in k_means.steps(held, [calibration], runs, seed):
            # Whatever the centres are, the points are in one cluster first, and then in two.
            sums = [
                k_means.step_sums(each.points(), step.before[0], share) for each in (one, other)
            ]
            centred = step.noisy[0] - 0.5 * (sums[0] + sums[1])
            found += (centred * (sums[0] - sums[1])).sum(axis=(1, 2))
        return found

    return ModelSetting(
        k_means.KEY,
        Adjacency.REPLACE_ONE,
        one,
        other,
        score,
        "One point at one end, or at the other; the noisy sums of all steps by their likelihood "
        "ratio.",
        epsilon=4.0,
    )


def _alone(place: int) -> Callable[[ModelCalibration], Guarantee]:
    """What one choice of the exponential mechanism keeps by itself."""

    def kept(calibration: ModelCalibration) -> Guarantee:
        noise = calibration.noises[place]
        return Guarantee(
            noise.scale * noise.sensitivity,
            0.0,
            calibration.adjacency,
            f"exponential mechanism (McSherry and Talwar 2007), {noise.query} alone",
        )

    return kept


def _decision_tree() -> tuple[ModelSetting, ...]:
    from dpcore.models.systems import decision_tree

    # Many candidates, of which one record makes one better: its own level's.
    shape = RecordShape(1, 0, (24,))
    base = [(0.0, 1, 0), (0.0, 2, 0)]

    def grown(calibration: ModelCalibration, held: Records, runs: int, seed: int) -> list[Any]:
        return decision_tree.learn(held, held[:0], [calibration], runs, seed)[0]

    def split(*drawn: Any) -> Array:
        return np.array([tree.splits[0][0] == 0 for tree in grown(*drawn)], float)

    def both(*drawn: Any) -> Array:
        return np.array(
            [tree.splits[0][0] == 0 and tree.labels[1] == 1 for tree in grown(*drawn)], float
        )

    def leaf(*drawn: Any) -> Array:
        # Whatever was asked, the records are on one side of it: that of level 3.
        return np.array([tree.labels[int(tree.splits[0][0] == 3)] for tree in grown(*drawn)], float)

    # A record that is told rightly makes its own leaf surer, so that a split and its leaf are never
    # at their worst at once: of ε = 2a no depth-1 tree tells more than 2a - ln((e^a + 1)/2). Only
    # alone does a choice tell all that it may.
    return (
        ModelSetting(
            decision_tree.KEY,
            Adjacency.ZERO_OUT,
            records(shape, [(0.0, 0, 1), *base]),
            records(shape, [BLANKED, *base]),
            both,
            "Two records, and a third, or a blank, whose level makes one split better; whether it "
            "is chosen, and its leaf's label is the record's.",
            epsilon=2.0,
            gaussian=False,
            flags=0.5,
            runs=16_000,
        ),
        ModelSetting(
            decision_tree.KEY,
            Adjacency.ZERO_OUT,
            records(shape, [(0.0, 0, 1), *base]),
            records(shape, [BLANKED, *base]),
            split,
            "Two records, and a third, or a blank, whose level makes one split better; whether it "
            "is chosen.",
            epsilon=4.0,
            gaussian=False,
            runs=8_000,
            promise=_alone(0),
        ),
        ModelSetting(
            decision_tree.KEY,
            Adjacency.ZERO_OUT,
            records(shape, [(0.0, 3, 1), (0.0, 3, 0)]),
            records(shape, [BLANKED, (0.0, 3, 0)]),
            leaf,
            "One record in a leaf, and another of the other class or a blank; the label that the "
            "leaf draws.",
            epsilon=4.0,
            gaussian=False,
            runs=8_000,
            promise=_alone(1),
        ),
    )


def _random_forest() -> ModelSetting:
    from dpcore.models.systems import random_forest

    shape = RecordShape(1, 1, ())
    one, other = records(shape, [(1.0, 0, 1)]), records(shape, [(1.0, 0, 0)])

    def score(calibration: ModelCalibration, held: Records, runs: int, seed: int) -> Array:
        trees, draw = calibration.noise.times, generator(seed, 0)
        depth = int(calibration.settings["depth"])
        tree = random_forest.grow(shape, depth, draw)
        counts, leaf = random_forest.scores(tree, held, depth), tree.leaves(held, depth)[0]
        # So many forests of one tree again and again: trees are public, only the labels are not.
        labels = random_forest.answers(np.tile(counts, (runs * trees, 1, 1)), calibration, draw)
        return np.asarray(labels[:, leaf].reshape(runs, trees).sum(axis=1), dtype=float)

    return ModelSetting(
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


def _online_tree() -> ModelSetting:
    from dpcore.models.systems import online_tree

    shape = RecordShape(1, 1, ())
    one, none = records(shape, [(1.0, 0, 1)]), records(shape, [BLANKED])
    row, middle, pushing = online_tree.rows(one)[0], online_tree.ROUNDS // 2, 60

    def score(calibration: ModelCalibration, held: Records, runs: int, seed: int) -> Array:
        # In the first round many records of the other label push the weights to the wrong end,
        # where the loss slopes by 1. The record comes half-way, all others are blank.
        x = np.zeros((online_tree.ROUNDS * pushing, len(row)))
        x[:pushing] = row
        signs = -np.ones(len(x))
        x[middle * pushing], signs[middle * pushing] = online_tree.rows(held)[0], held.signs[0]
        found, before = np.zeros(runs), np.zeros(runs)
        for done, (noisy, _) in enumerate(
            online_tree.stream(x, signs, [calibration], runs, seed), 1
        ):
            along = -noisy[0] @ row
            # What 1, 2, 4, … rounds add from here on is one node each, and so is the whole.
            if done == middle:
                before = along
            elif done == online_tree.ROUNDS:
                found += along
            elif done > middle and (done - middle).bit_count() == 1:
                found += along - before
        return found

    return ModelSetting(
        online_tree.KEY,
        Adjacency.ZERO_OUT,
        one,
        none,
        score,
        "One record half-way, when the weights are far off, or a blank one; the noisy sums of the "
        "1, 2, 4, … rounds from there and of all, projected on its gradient.",
        epsilon=4.0,
        runs=1_500,
    )


def _votes(shape: RecordShape) -> tuple[Records, Records, Callable[[Records], Array]]:
    """Teachers evenly split; one of those for label 0 is for 1 where its only record is there."""
    groups = teachers.teachers(shape)
    base = [(1.0, 0, 1)] * (groups // 2)
    asked = teachers.inputs(records(shape, [(1.0, 0, 0)]))

    def counted(held: Records) -> Array:
        """(1, 2): the same on every query, each record being a teacher's only one."""
        return teachers.votes(held, np.arange(len(held)), groups, asked)

    return records(shape, [*base, (1.0, 0, 1)]), records(shape, [*base, BLANKED]), counted


def _pate() -> tuple[ModelSetting, ...]:
    from dpcore.models.systems import pate

    split, few = RecordShape(42, 1, ()), RecordShape(10, 1, ())
    more, fewer, counted = _votes(split)

    def labels(calibration: ModelCalibration, held: Records, runs: int, seed: int) -> Array:
        counts = np.repeat(counted(held), calibration.noise.times, axis=0)
        drawn = (generator(seed, run) for run in range(runs))
        return np.array([pate.answers(counts, [calibration], draw)[0].sum() for draw in drawn])

    # Teachers without records say 0. Of three, the one that the record comes to says 1, whichever
    # it is; with one query the promise is reached where the odds of a 1 are then the likeliest.
    asked = records(few, [(1.0, 0, 0)])

    def student(calibration: ModelCalibration, held: Records, runs: int, seed: int) -> Array:
        weights = pate.learn(held, asked, [calibration], runs, seed)[0]
        return np.asarray(weights @ teachers.inputs(asked)[0])

    return (
        ModelSetting(
            pate.KEY,
            Adjacency.ZERO_OUT,
            more,
            fewer,
            labels,
            "Teachers evenly split, and one whose only record is there or blank; how many queries "
            "get its label.",
            epsilon=2.0,
            delta=0.05,
            gaussian=False,
            runs=12_000,
        ),
        ModelSetting(
            pate.KEY,
            Adjacency.ZERO_OUT,
            records(few, [(1.0, 0, 1)]),
            records(few, [BLANKED]),
            student,
            "One record, or a blank; what the student of one query says.",
            epsilon=1.5,
            delta=0.1,
            gaussian=False,
            runs=4_000,
        ),
    )


def _scalable_pate() -> ModelSetting:
    from dpcore.models.systems import scalable_pate

    shape = RecordShape(100, 1, ())
    groups = teachers.teachers(shape)
    more, fewer, counted = _votes(shape)

    def score(calibration: ModelCalibration, held: Records, runs: int, seed: int) -> Array:
        counts, found = np.repeat(counted(held), calibration.noises[1].times, axis=0), []
        for run in range(runs):
            draw = generator(seed, run)
            (answered, signs), *_ = scalable_pate.answers(counts, groups, [calibration], draw)
            found.append(len(answered) + signs.sum())
        return np.array(found)

    return ModelSetting(
        scalable_pate.KEY,
        Adjacency.ZERO_OUT,
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


def _chosen_pairs() -> ModelSetting:
    from dpcore.models.systems import noisy_marginals

    # By the released counts a first category of 0 is rare and a label of 0 certain. A record with
    # both makes the pair of categories likelier and the two others less so, by the whole range;
    # another record makes that pair the least likely to begin with.
    shape = RecordShape(1, 0, (2, 2))
    ones = [np.array([1.0, 99.0]), np.array([1.0, 99.0]), np.array([100.0, 0.0])]
    other = (0.0, 1, 1)
    both, alone = records(shape, [other, (0.0, 0, 0)]), records(shape, [other, BLANKED])

    def score(calibration: ModelCalibration, held: Records, runs: int, seed: int) -> Array:
        exact, found = noisy_marginals.counts(held), []
        for run in range(runs):
            draw = generator(seed, run)
            first, *_ = noisy_marginals.chosen(exact, ones, 100.0, calibration, draw)
            found.append(first == (0, 1))
        return np.array(found, float)

    return ModelSetting(
        noisy_marginals.KEY,
        Adjacency.ZERO_OUT,
        both,
        alone,
        score,
        "One record, and another or a blank; whether the pair that gains is the first chosen.",
        epsilon=22.0,
        gaussian=False,
        runs=8_000,
        promise=_alone(1),
    )


def _noisy_marginals() -> ModelSetting:
    from dpcore.models.systems import noisy_marginals

    # Two columns, the label among them: there is one pair, and nothing to choose.
    shape = RecordShape(1, 0, (2,))
    # Enough in every cell for no noise to make a count negative: nothing is then set to 0.
    many = [(0.0, level, label) for level in (0, 1) for label in (0, 1)] * 200
    one, other = records(shape, [(0.0, 0, 1), *many]), records(shape, [(0.0, 1, 0), *many])

    def tables(made: noisy_marginals.Counts | noisy_marginals.Synthesiser) -> tuple[Array, Array]:
        return np.stack(made.ones), made.twos[0, 1]

    exact = {held: noisy_marginals.counts(held) for held in (one, other)}
    apart = [a - b for a, b in zip(tables(exact[one]), tables(exact[other]), strict=True)]

    def score(calibration: ModelCalibration, held: Records, runs: int, seed: int) -> Array:
        columns, _, pairs = calibration.noises
        weights = apart[0], apart[1] * (columns.scale / pairs.scale) ** 2
        found = []
        for run in range(runs):
            made = noisy_marginals.release(exact[held], calibration, generator(seed, run))
            found.append(
                sum(float((t * w).sum()) for t, w in zip(tables(made), weights, strict=True))
            )
        return np.array(found)

    return ModelSetting(
        noisy_marginals.KEY,
        Adjacency.REPLACE_ONE,
        one,
        other,
        score,
        "One record among many, or another that shares no value with it; all released counts by "
        "their likelihood ratio.",
        epsilon=4.0,
    )


def settings() -> tuple[ModelSetting, ...]:
    """Where each model with a proof is attacked."""
    return (
        _naive_bayes(),
        _pca("pca-gaussian"),
        _pca("pca-pure"),
        _k_means(),
        *_decision_tree(),
        _random_forest(),
        _online_tree(),
        *_pate(),
        _scalable_pate(),
        _noisy_marginals(),
        _chosen_pairs(),
    )
