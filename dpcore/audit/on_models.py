"""Attacks on the models of the survey: each release before any post-processing, on neighbours.

They are drawn by the models' own learning functions; post-processing could only hide more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.audit.attack import Attack, Power, Target, table
from dpcore.audit.bounds import epsilon_of
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Guarantee
from dpcore.models import covariance, teachers
from dpcore.models.model import Model, ModelCalibration, ModelTraining, generator, with_noise
from dpcore.models.records import Records, RecordShape, encode
from dpcore.models.systems import (
    decision_tree,
    k_means,
    model_named,
    naive_bayes,
    noisy_marginals,
    online_tree,
    pate,
    pca_gaussian,
    pca_pure,
    random_forest,
    scalable_pate,
)

Array = NDArray[np.float64]
Score = Callable[[ModelCalibration, Records, int, int], Array]
"""(calibration, records, runs, seed) -> one score for each independent release; larger for the
first data set."""
RowValues = tuple[float, int, int] | None
BLANKED: RowValues = None
"""The record in the neighbour under zero-out: an empty row."""


@dataclass(frozen=True)
class ModelSetting(Power):
    model: str
    adjacency: Adjacency
    neighbours: tuple[Records, Records]
    score: Score
    about: str
    # The proof, or that of the one choice that the score shows.
    promise: Callable[[ModelCalibration], Guarantee] = attrgetter("proof")


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

        is_whole = setting.promise(calibration) == calibration.proof
        claim = calibration.claim if is_whole else None  # which is not of one choice alone
        return Target(setting.promise(calibration), scores, claim)

    edition = model_named(setting.model).edition
    return setting.attack(setting.model, edition, setting.adjacency, setting.about, aim)


def records(shape: RecordShape, rows: Sequence[RowValues]) -> Records:
    """Prepare rows of (x, c, label) or `BLANKED` as training records of a user's own table."""
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


def of_runs(score: Callable[[np.random.Generator], float], runs: int, seed: int) -> Array:
    """The score of each run, from its own generator."""
    return np.array([score(generator(seed, run)) for run in range(runs)], float)


def training(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> ModelTraining:
    """What a model learns from in an attack: these records, and none without labels."""
    return ModelTraining(data, data[:0], [calibration], runs, seed)


def choice_alone(index: int) -> Callable[[ModelCalibration], Guarantee]:
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


def counts_alone(calibration: ModelCalibration) -> Guarantee:
    """The guarantee of the normal noises alone, without the choices."""
    summed = [noise for noise in calibration.noises if noise.law == "gaussian"]
    mu = math.hypot(*(noise.sensitivity / noise.scale for noise in summed))
    delta = calibration.requested.delta
    by = f"exact composition of {len(summed)} Gaussian mechanisms (Gaussian DP), the counts alone"
    return Guarantee(epsilon_of(mu, delta), delta, calibration.adjacency, by)


def _of_decision_tree() -> tuple[ModelSetting, ...]:
    # Of k candidates one record improves one, that of its own level: a choice at ε then reveals
    # ε - ln((e^ε + k - 1)/k).
    shape = RecordShape(1, 0, (64,))
    base = [(0.0, 1, 0), (0.0, 2, 0)]

    def grown(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> list[Any]:
        return decision_tree.learn(training(calibration, data, runs, seed))[0]

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
    # Among j of the other class its label is drawn with odds e^{ε(1 - j)}, or e^{-εj} without it.
    others = 2 * [(0.0, 3, 0)]
    in_leaf = records(shape, [(0.0, 3, 1), *others]), records(shape, [BLANKED, *others])
    setting = partial(ModelSetting, decision_tree.MODEL.key, Adjacency.ZERO_OUT, gaussian=False)
    description = (
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
            f"{description}, and its leaf's label is the record's.",
            epsilon=2.0,
            flags=0.5,
            runs=16_000,
        ),
        setting(pair, split, f"{description}.", epsilon=4.0, runs=8_000, promise=choice_alone(0)),
        setting(
            in_leaf,
            leaf,
            "Two records of one class in a leaf, and another of the other class or a blank; the "
            "label that the leaf draws.",
            epsilon=4.0,
            runs=8_000,
            promise=choice_alone(1),
        ),
    )


def _of_k_means() -> tuple[ModelSetting, ...]:
    # Replaced within one cluster a point moves sums by Δ, in two clusters by less; blanked always.
    return (
        _of_clusters((-1.0, 0, 1), Adjacency.REPLACE_ONE, "at the other"),
        _of_clusters(BLANKED, Adjacency.ZERO_OUT, "a blank"),
    )


def _of_clusters(row: RowValues, adjacency: Adjacency, other_is: str) -> ModelSetting:
    shape = RecordShape(1, 1, ())
    one, other = records(shape, [(1.0, 0, 1)]), records(shape, [row])
    share = k_means.weight(shape)

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        total = np.zeros(runs)
        for step in k_means.steps(training(calibration, data, runs, seed)):
            # Whatever the centres, the points are in one cluster at first, and then in two.
            sums = [
                k_means.step_sums(side.known.points(), step.before[0], share)
                for side in (one, other)
            ]
            centred = step.noisy[0] - 0.5 * (sums[0] + sums[1])
            total += (centred * (sums[0] - sums[1])).sum(axis=(1, 2))
        return total

    return ModelSetting(
        k_means.MODEL.key,
        adjacency,
        (one, other),
        score,
        f"One point at one end, or {other_is}; the noisy sums of all steps by their likelihood "
        "ratio.",
        epsilon=4.0,
    )


def _of_naive_bayes() -> tuple[ModelSetting, ...]:
    shape = RecordShape(1, 1, (2,))
    one, other = records(shape, [(1.0, 0, 1)]), records(shape, [(1.0, 0, 0)])
    difference = naive_bayes.sums(one) - naive_bayes.sums(other)

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        noisy = naive_bayes.noisy_sums(training(calibration, data, runs, seed))[0]
        return np.asarray((noisy * difference).sum(axis=(1, 2)))

    setting = ModelSetting(
        naive_bayes.MODEL.key,
        Adjacency.REPLACE_ONE,
        (one, other),
        score,
        "One record of one class, or the same of the other; all noisy sums, projected on what "
        "that changes.",
        epsilon=4.0,
    )
    return (setting,)


def _of_noisy_marginals() -> tuple[ModelSetting, ...]:
    return _counts(), _chosen_pairs()


def _counts() -> ModelSetting:
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

        return of_runs(ratio, runs, seed)

    return ModelSetting(
        noisy_marginals.MODEL.key,
        Adjacency.REPLACE_ONE,
        (one, other),
        score,
        "One record among many, or another that shares no value with it; all released counts by "
        "their likelihood ratio.",
        epsilon=4.0,
        promise=counts_alone,
    )


def _chosen_pairs() -> ModelSetting:
    # In the released counts a first category of 0 is rare and a label of 0 certain. A record with
    # both makes the pair of categories likelier and the two others less so, by the whole range;
    # others make that pair so unlikely at first that the odds are almost the probabilities.
    shape = RecordShape(1, 0, (2, 2))
    ones = [np.array([1.0, 99.0]), np.array([1.0, 99.0]), np.array([100.0, 0.0])]
    others = 2 * [(0.0, 1, 1)]
    both, alone = records(shape, [*others, (0.0, 0, 0)]), records(shape, [*others, BLANKED])

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        exact = noisy_marginals.counts(data)

        def first(draw: np.random.Generator) -> bool:
            return noisy_marginals.chosen(exact, ones, 100.0, calibration, draw)[0] == (0, 1)

        return of_runs(first, runs, seed)

    return ModelSetting(
        noisy_marginals.MODEL.key,
        Adjacency.ZERO_OUT,
        (both, alone),
        score,
        "Two records, and another or a blank; whether the pair that gains is the first chosen.",
        epsilon=22.0,
        gaussian=False,
        runs=16_000,
        promise=choice_alone(1),
    )


def _of_online_tree() -> tuple[ModelSetting, ...]:
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
            online_tree.stream(x, signs, training(calibration, data, runs, seed)), 1
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

    setting = ModelSetting(
        online_tree.MODEL.key,
        Adjacency.ZERO_OUT,
        (one, none),
        score,
        "One record half-way, when the weights are far off, or a blank one; the noisy sums of the "
        "1, 2, 4, … rounds from there and of all, projected on its gradient.",
        epsilon=4.0,
        runs=1_000,
    )
    return (setting,)


def votes(shape: RecordShape) -> tuple[Records, Records, Callable[[Records], Array]]:
    """Teachers evenly split; one of those for label 0 votes 1 where its only record is present."""
    groups = teachers.teachers(shape)
    base = [(1.0, 0, 1)] * (groups // 2)
    query = teachers.inputs(records(shape, [(1.0, 0, 0)]))

    def counted(data: Records) -> Array:
        """(1, 2): the same on every query, each record being a teacher's only one."""
        return teachers.votes(data, np.arange(len(data)), groups, query)

    return records(shape, [*base, (1.0, 0, 1)]), records(shape, [*base, BLANKED]), counted


def _of_pate() -> tuple[ModelSetting, ...]:
    split, few = RecordShape(42, 1, ()), RecordShape(10, 1, ())
    more, fewer, counted = votes(split)

    def labels(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        counts = np.repeat(counted(data), calibration.noise.times, axis=0)
        return of_runs(
            lambda draw: pate.answers(counts, [calibration], draw)[0][1].sum(), runs, seed
        )

    # Teachers without records vote 0. Of three, the one with the record votes 1, whichever it is;
    # with one query the promise is tight where the odds of a 1 are then the highest.
    query = records(few, [(1.0, 0, 0)])

    def student(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        weights = pate.MODEL.learn(ModelTraining(data, query, [calibration], runs, seed))[0]
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


def _of_pca() -> tuple[ModelSetting, ...]:
    return _of_component(pca_gaussian.MODEL, pure=False), _of_component(pca_pure.MODEL, pure=True)


def _of_component(model: Model, *, pure: bool) -> ModelSetting:
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
        model.key,
        Adjacency.ZERO_OUT,
        (one, none),
        score,
        "One point on the unit sphere, or blanked; the noisy second moments by their likelihood "
        "ratio.",
        epsilon=2.0 if pure else 4.0,
        gaussian=not pure,
        runs=12_000 if pure else 2_000,
    )


def _of_random_forest() -> tuple[ModelSetting, ...]:
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

    setting = ModelSetting(
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
    return (setting,)


def _of_scalable_pate() -> tuple[ModelSetting, ...]:
    shape = RecordShape(100, 1, ())
    more, fewer, counted = votes(shape)

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        counts = np.repeat(counted(data), calibration.noises[1].times, axis=0)

        def drawn(draw: np.random.Generator) -> float:
            (answered, signs), *_ = scalable_pate.answers(counts, [calibration], draw)
            return float(len(answered) + signs.sum())

        return of_runs(drawn, runs, seed)

    setting = ModelSetting(
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
    return (setting,)


def settings() -> tuple[ModelSetting, ...]:
    """The attacks that each model must survive."""
    return (
        *_of_decision_tree(),
        *_of_k_means(),
        *_of_naive_bayes(),
        *_of_noisy_marginals(),
        *_of_online_tree(),
        *_of_pate(),
        *_of_pca(),
        *_of_random_forest(),
        *_of_scalable_pate(),
    )
