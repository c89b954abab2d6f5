"""Attacks on the survey's models: their releases before any post-processing, on neighbours.

The releases are drawn by the models' own learning functions, on records chosen to be easily
distinguished; post-processing can only hide more. No other noise is added, and none is left out.
Where the law of the release is known the score is its likelihood ratio, or increases with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.audit.attack import Attack, Power, Target
from dpcore.audit.neighbours import table
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Guarantee
from dpcore.models import teachers
from dpcore.models.model import Lesson, ModelCalibration, generator
from dpcore.models.records import Records, RecordShape, encode
from dpcore.models.register import model_named

Array = NDArray[np.float64]
Score = Callable[[ModelCalibration, Records, int, int], Array]
"""(calibration, records, runs, seed) -> one score for each independent release; larger for the
first data set."""
RowValues = tuple[float, int, int] | None
BLANKED: RowValues = None
"""The record in the neighbour under zero-out: an empty row."""


@dataclass(frozen=True)
class ModelSetting(Power):
    """The setting of one attack on a model.

    Parameters
    ----------
    model : str
    adjacency : Adjacency
    neighbours : pair of Records
        Under that adjacency.
    score : callable
    about : str
        Neighbours and score, in one plain sentence.
    promise : callable
        (calibration) -> the guarantee to test: the whole proof, or that of one choice where the
        score depends on that choice alone.
    """

    model: str
    adjacency: Adjacency
    neighbours: tuple[Records, Records]
    score: Score
    about: str
    promise: Callable[[ModelCalibration], Guarantee] = attrgetter("proof")


def with_noise(calibration: ModelCalibration, share: float) -> ModelCalibration:
    """A copy with this share of the noise and the same promise.

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
        first, second = setting.neighbours
        calibration = model.calibrate(first.shape, [epsilon], delta, setting.adjacency)[0]
        if calibration.proof.epsilon is None:
            raise InvalidInput(
                f"{model.title} proves nothing, but an attack needs a promise to test: "
                f"{calibration.proof.reason}"
            )

        def scores(share: float, runs: int, seed: int) -> tuple[Array, Array]:
            copy = with_noise(calibration, share)
            return (
                setting.score(copy, first, runs, 2 * seed),
                setting.score(copy, second, runs, 2 * seed + 1),
            )

        return Target(setting.promise(calibration), scores)

    return setting.attack(setting.model, model_named(setting.model).edition, setting.about, aim)


def records(shape: RecordShape, rows: Sequence[RowValues]) -> Records:
    """Training records of a user's own table, written out, read and prepared as any other.

    Parameters
    ----------
    shape : RecordShape
    rows : sequence of (x, c, label), or `BLANKED`
        x is the value of every number of the record, c that of every category.
    """
    levels = [f"l{level}" for level in range(max((2, *shape.levels)))]
    columns = [f"x{index}: -1 to 1" for index in range(shape.numbers)]
    columns += [
        f"c{index}: one of {', '.join(levels[:count])}" for index, count in enumerate(shape.levels)
    ]

    def fields(row: RowValues) -> list[str]:
        if row is None:
            return []
        x, c, label = row
        return [*shape.numbers * [repr(x)], *len(shape.levels) * [levels[c]], str(label)]

    train, _ = encode(table(columns, "label: one of 0, 1", [fields(row) for row in rows]))
    return replace(train, shape=shape)


def _of_runs(score: Callable[[np.random.Generator], float], runs: int, seed: int) -> Array:
    """The score of each run, from its own generator."""
    return np.array([score(generator(seed, run)) for run in range(runs)], float)


def _lesson(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Lesson:
    return Lesson(data, data[:0], [calibration], runs, seed)


def _naive_bayes() -> ModelSetting:
    from dpcore.models.systems import naive_bayes

    shape = RecordShape(1, 1, (2,))
    one, other = records(shape, [(1.0, 0, 1)]), records(shape, [(1.0, 0, 0)])
    difference = naive_bayes.sums(one) - naive_bayes.sums(other)

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        noisy = naive_bayes.noisy_sums(_lesson(calibration, data, runs, seed))[0]
        return np.asarray((noisy * difference).sum(axis=(1, 2)))

    return ModelSetting(
        naive_bayes.MODEL.key,
        Adjacency.REPLACE_ONE,
        (one, other),
        score,
        "One record of one class, or the same of the other; all noisy sums, projected on what "
        "that changes.",
        epsilon=4.0,
    )


def _pca(key: str) -> ModelSetting:
    from dpcore.models import covariance
    from dpcore.models.systems import pca_pure

    pure = key == pca_pure.MODEL.key
    unit = pca_pure.noise if pure else covariance.symmetric
    # One feature, so that S is two by two; a point at 1 or a blank record.
    shape = RecordShape(1, 1, ())
    one, none = records(shape, [(1.0, 0, 1)]), records(shape, [BLANKED])
    centres = [covariance.second_moments(data) for data in (one, none)]

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        draws = [unit(generator(seed, run), shape.dimension + 1) for run in range(runs)]
        noisy = covariance.released(covariance.second_moments(data), calibration, draws)
        if not pure:
            return np.asarray((noisy * (centres[0] - centres[1])).sum(axis=(1, 2)))
        far, near = (np.linalg.norm(noisy - centre, axis=(1, 2)) for centre in centres[::-1])
        return np.asarray(far - near)

    return ModelSetting(
        key,
        Adjacency.ZERO_OUT,
        (one, none),
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

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        total = np.zeros(runs)
        for step in k_means.steps(_lesson(calibration, data, runs, seed)):
            # Whatever the centres, the points are in one cluster at first, and then in two.
            sums = [
                k_means.step_sums(side.points(), step.before[0], share) for side in (one, other)
            ]
            centred = step.noisy[0] - 0.5 * (sums[0] + sums[1])
            total += (centred * (sums[0] - sums[1])).sum(axis=(1, 2))
        return total

    return ModelSetting(
        k_means.MODEL.key,
        Adjacency.REPLACE_ONE,
        (one, other),
        score,
        "One point at one end, or at the other; the noisy sums of all steps by their likelihood "
        "ratio.",
        epsilon=4.0,
    )


def _choice_alone(index: int) -> Callable[[ModelCalibration], Guarantee]:
    """The guarantee of one choice of the exponential mechanism by itself."""

    def one_choice(calibration: ModelCalibration) -> Guarantee:
        noise = calibration.noises[index]
        return Guarantee(
            noise.scale * noise.sensitivity,
            0.0,
            calibration.adjacency,
            f"exponential mechanism (McSherry and Talwar 2007), {noise.query} alone",
        )

    return one_choice


def _decision_tree() -> tuple[ModelSetting, ...]:
    from dpcore.models.systems import decision_tree

    # Many candidates; one record improves one of them, that of its own level.
    shape = RecordShape(1, 0, (24,))
    base = [(0.0, 1, 0), (0.0, 2, 0)]

    def grown(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> list[Any]:
        return decision_tree.learn(_lesson(calibration, data, runs, seed))[0]

    def split(*drawn: Any) -> Array:
        return np.array([tree.splits[0][0] == 0 for tree in grown(*drawn)], float)

    def both(*drawn: Any) -> Array:
        return np.array(
            [tree.splits[0][0] == 0 and tree.labels[1] == 1 for tree in grown(*drawn)], float
        )

    def leaf(*drawn: Any) -> Array:
        # Whatever the split, the records are on one side of it: that of level 3.
        return np.array([tree.labels[int(tree.splits[0][0] == 3)] for tree in grown(*drawn)], float)

    pair = records(shape, [(0.0, 0, 1), *base]), records(shape, [BLANKED, *base])
    in_leaf = records(shape, [(0.0, 3, 1), (0.0, 3, 0)]), records(shape, [BLANKED, (0.0, 3, 0)])
    setting = partial(ModelSetting, decision_tree.MODEL.key, Adjacency.ZERO_OUT, gaussian=False)
    told = (
        "Two records, and a third, or a blank, whose level makes one split better; whether it is "
        "chosen"
    )
    # A correctly classified record makes its own leaf surer, so that a split and its leaf are never
    # both at their worst: of ε = 2a no depth-1 tree reveals more than 2a - ln((e^a + 1)/2). Only a
    # single choice reveals its full ε.
    return (
        setting(
            pair,
            both,
            f"{told}, and its leaf's label is the record's.",
            epsilon=2.0,
            flags=0.5,
            runs=16_000,
        ),
        setting(pair, split, f"{told}.", epsilon=4.0, runs=8_000, promise=_choice_alone(0)),
        setting(
            in_leaf,
            leaf,
            "One record in a leaf, and another of the other class or a blank; the label that the "
            "leaf draws.",
            epsilon=4.0,
            runs=8_000,
            promise=_choice_alone(1),
        ),
    )


def _random_forest() -> ModelSetting:
    from dpcore.models.systems import random_forest

    shape = RecordShape(1, 1, ())
    one, other = records(shape, [(1.0, 0, 1)]), records(shape, [(1.0, 0, 0)])

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        trees, draw = calibration.noise.times, generator(seed, 0)
        depth = int(calibration.settings["depth"])
        tree = random_forest.grow(shape, depth, draw)
        counts, leaf = random_forest.scores(tree, data, depth), tree.leaves(data, depth)[0]
        # Every forest repeats one tree: trees are public, only the labels are not.
        labels = random_forest.answers(np.tile(counts, (runs * trees, 1, 1)), calibration, draw)
        return np.asarray(labels[:, leaf].reshape(runs, trees).sum(axis=1), dtype=float)

    return ModelSetting(
        random_forest.MODEL.key,
        Adjacency.REPLACE_ONE,
        (one, other),
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

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        # In the first round many records of the other label push the weights to the wrong end,
        # where the loss has slope 1. The record comes half-way, all others are blank.
        x = np.zeros((online_tree.ROUNDS * pushing, len(row)))
        x[:pushing] = row
        signs = -np.ones(len(x))
        x[middle * pushing], signs[middle * pushing] = online_tree.rows(data)[0], data.signs[0]
        total, earlier = np.zeros(runs), np.zeros(runs)
        for round_number, (noisy, _) in enumerate(
            online_tree.stream(x, signs, _lesson(calibration, data, runs, seed)), 1
        ):
            along = -noisy[0] @ row
            # The sums of the next 1, 2, 4, … rounds are one node each, and so is the whole.
            if round_number == middle:
                earlier = along
            elif round_number == online_tree.ROUNDS:
                total += along
            elif round_number > middle and (round_number - middle).bit_count() == 1:
                total += along - earlier
        return total

    return ModelSetting(
        online_tree.MODEL.key,
        Adjacency.ZERO_OUT,
        (one, none),
        score,
        "One record half-way, when the weights are far off, or a blank one; the noisy sums of the "
        "1, 2, 4, … rounds from there and of all, projected on its gradient.",
        epsilon=4.0,
        runs=1_000,
    )


def _votes(shape: RecordShape) -> tuple[Records, Records, Callable[[Records], Array]]:
    """Teachers evenly split; one of those for label 0 votes 1 where its only record is present."""
    groups = teachers.teachers(shape)
    base = [(1.0, 0, 1)] * (groups // 2)
    query = teachers.inputs(records(shape, [(1.0, 0, 0)]))

    def counted(data: Records) -> Array:
        """(1, 2): the same on every query, each record being a teacher's only one."""
        return teachers.votes(data, np.arange(len(data)), groups, query)

    return records(shape, [*base, (1.0, 0, 1)]), records(shape, [*base, BLANKED]), counted


def _pate() -> tuple[ModelSetting, ...]:
    from dpcore.models.systems import pate

    split, few = RecordShape(42, 1, ()), RecordShape(10, 1, ())
    more, fewer, counted = _votes(split)

    def labels(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        counts = np.repeat(counted(data), calibration.noise.times, axis=0)
        return _of_runs(
            lambda draw: pate.answers(counts, [calibration], draw)[0][1].sum(), runs, seed
        )

    # Teachers without records vote 0. Of three, the one with the record votes 1, whichever it is;
    # with one query the promise is tight where the odds of a 1 are then the highest.
    query = records(few, [(1.0, 0, 0)])

    def student(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        weights = pate.MODEL.learn(Lesson(data, query, [calibration], runs, seed))[0]
        return np.asarray(weights @ teachers.inputs(query)[0])

    return (
        ModelSetting(
            pate.MODEL.key,
            Adjacency.ZERO_OUT,
            (more, fewer),
            labels,
            "Teachers evenly split, and one whose only record is there or blank; how many queries "
            "get its label.",
            epsilon=2.0,
            delta=0.05,
            gaussian=False,
            runs=12_000,
        ),
        ModelSetting(
            pate.MODEL.key,
            Adjacency.ZERO_OUT,
            (records(few, [(1.0, 0, 1)]), records(few, [BLANKED])),
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
    more, fewer, counted = _votes(shape)

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        counts = np.repeat(counted(data), calibration.noises[1].times, axis=0)

        def drawn(draw: np.random.Generator) -> float:
            (answered, signs), *_ = scalable_pate.answers(counts, [calibration], draw)
            return float(len(answered) + signs.sum())

        return _of_runs(drawn, runs, seed)

    return ModelSetting(
        scalable_pate.MODEL.key,
        Adjacency.ZERO_OUT,
        (more, fewer),
        score,
        "Teachers evenly split, and one whose only record is there or not; how many queries pass "
        "and get its label.",
        epsilon=1.0,
        delta=0.1,
        gaussian=False,
        flags=0.5,
        runs=5_000,
    )


def _chosen_pairs() -> ModelSetting:
    from dpcore.models.systems import noisy_marginals

    # In the released counts a first category of 0 is rare and a label of 0 certain. A record with
    # both makes the pair of categories likelier and the two others less so, by the whole range;
    # another record makes that pair initially the least likely.
    shape = RecordShape(1, 0, (2, 2))
    ones = [np.array([1.0, 99.0]), np.array([1.0, 99.0]), np.array([100.0, 0.0])]
    other = (0.0, 1, 1)
    both, alone = records(shape, [other, (0.0, 0, 0)]), records(shape, [other, BLANKED])

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        exact = noisy_marginals.counts(data)

        def first(draw: np.random.Generator) -> bool:
            return noisy_marginals.chosen(exact, ones, 100.0, calibration, draw)[0] == (0, 1)

        return _of_runs(first, runs, seed)

    return ModelSetting(
        noisy_marginals.MODEL.key,
        Adjacency.ZERO_OUT,
        (both, alone),
        score,
        "One record, and another or a blank; whether the pair that gains is the first chosen.",
        epsilon=22.0,
        gaussian=False,
        runs=8_000,
        promise=_choice_alone(1),
    )


def _noisy_marginals() -> ModelSetting:
    from dpcore.models.systems import noisy_marginals

    # Two columns, including the label: there is one pair, and nothing to choose.
    shape = RecordShape(1, 0, (2,))
    # Enough in every cell that noise makes no count negative: none is then set to 0.
    many = [(0.0, level, label) for level in (0, 1) for label in (0, 1)] * 200
    one, other = records(shape, [(0.0, 0, 1), *many]), records(shape, [(0.0, 1, 0), *many])

    def tables(
        released: noisy_marginals.Counts | noisy_marginals.Synthesiser,
    ) -> tuple[Array, Array]:
        return np.stack(released.ones), released.twos[0, 1]

    exact = {data: noisy_marginals.counts(data) for data in (one, other)}
    differences = [a - b for a, b in zip(tables(exact[one]), tables(exact[other]), strict=True)]

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        columns, _, pairs = calibration.noises
        weights = differences[0], differences[1] * (columns.scale / pairs.scale) ** 2

        def ratio(draw: np.random.Generator) -> float:
            released = tables(noisy_marginals.release(exact[data], calibration, draw))
            return sum(float((t * w).sum()) for t, w in zip(released, weights, strict=True))

        return _of_runs(ratio, runs, seed)

    return ModelSetting(
        noisy_marginals.MODEL.key,
        Adjacency.REPLACE_ONE,
        (one, other),
        score,
        "One record among many, or another that shares no value with it; all released counts by "
        "their likelihood ratio.",
        epsilon=4.0,
    )


def settings() -> tuple[ModelSetting, ...]:
    """The attack settings of each model with a proof."""
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
