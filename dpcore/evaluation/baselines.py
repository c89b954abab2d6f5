"""The references of private models: a guess, and the model that would be used without privacy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Preparation, Split, Table
from dpcore.datasets.encoding import FloatArray
from dpcore.datasets.partition import Columns, columns_of
from dpcore.datasets.schema import Classes
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Array
from dpcore.erm.newton import ridge_path
from dpcore.erm.problem import Problem
from dpcore.evaluation.scoring import SPLIT_ERROR, Metric, scoring_for, split_error
from dpcore.evaluation.splits import Splits, each, judged
from dpcore.evaluation.study import Study, losses_for, problem_for
from dpcore.evaluation.sweep import Watch
from dpcore.progress import Progress, silent

if TYPE_CHECKING:
    import pandas as pd


MAX_LEVELS = 255
"""Levels of a category up to which scikit-learn's trees take it as one."""
LEAF = 20
"""Records that scikit-learn's trees leave on each side of a split, at least: they never split a
column with fewer values."""
OF_MANY = 5_000
"""Trees look for splits on 200,000 records. Of a column that has values in one of 5,000 of all
records, they find one but for a chance of e⁻⁴⁰."""


def columns_for_trees(table: Table, split: Split) -> Columns:
    """The columns of a split's records; blank records are left out."""
    columns = columns_of(table, split.preparation)
    return replace(columns, train=columns.train[~split.blank])


def scored_by_trees(columns: Columns, split: Split, seed: int = 0) -> tuple[Split, Array]:
    """Learn from the training records, and score the test records."""
    _, labels = split.known
    scores = _scores(columns, split, labels, seed)
    width = scores.shape[1]
    weights = np.eye(width).ravel()
    return replace(
        split, x_test=scores, feature_names=tuple(f"score {place}" for place in range(width))
    ), weights


def _scores(columns: Columns, split: Split, labels: Array, seed: int) -> FloatArray:
    """A column of margins or predictions; with K classes K columns."""
    distinct_labels = np.unique(labels)
    columns = _with_values(columns)
    if isinstance(split.entry.label, Classes):
        scores = np.full((len(columns.test), split.entry.classes), -np.inf)
        scores[:, distinct_labels.astype(int)] = 0.0
        if len(distinct_labels) > 1:
            fitted = _margins(columns, labels, seed)
            both = np.stack([-fitted, fitted], axis=1) if fitted.ndim == 1 else fitted
            scores[:, distinct_labels.astype(int)] = both
        return np.asarray(np.maximum(scores, -1e300))
    if len(distinct_labels) < 2:
        return np.full((len(columns.test), 1), distinct_labels[0] if len(distinct_labels) else 0.0)
    if split.entry.predicts == "class":
        return _margins(columns, labels, seed)[:, np.newaxis]
    from sklearn.ensemble import HistGradientBoostingRegressor

    model = HistGradientBoostingRegressor(
        categorical_features=_categories(columns), random_state=seed
    )
    return np.asarray(model.fit(columns.train, labels).predict(columns.test))[:, None]


def _margins(columns: Columns, labels: Array, seed: int) -> FloatArray:
    from sklearn.ensemble import HistGradientBoostingClassifier

    _, counts = np.unique(labels, return_counts=True)
    model = HistGradientBoostingClassifier(
        categorical_features=_categories(columns),
        early_stopping="auto" if counts.min() > 1 else False,
        random_state=seed,
    )
    return np.asarray(model.fit(columns.train, labels).decision_function(columns.test))


def _with_values(columns: Columns) -> Columns:
    """The columns that a tree may split; of none one without meaning."""
    known = (~np.isnan(columns.train)).sum(axis=0)
    kept = known >= max(LEAF, len(columns.train) // OF_MANY)
    if not kept.any():
        return Columns(
            np.zeros((len(columns.train), 1)), np.zeros((len(columns.test), 1)), (False,)
        )
    categories = tuple(np.array(columns.categories)[kept].tolist())
    return Columns(columns.train[:, kept], columns.test[:, kept], categories)


def _categories(columns: Columns) -> list[bool]:
    return [
        category and not np.nanmax(columns.train[:, place]) >= MAX_LEVELS
        for place, category in enumerate(columns.categories)
    ]


CROSS_VALIDATION_FOLDS = 5
CROSS_VALIDATION_RECORDS = 10_000  # beyond, λ moves held-out accuracy by less than its noise
CROSS_VALIDATION_LAMS = tuple(float(x) for x in np.geomspace(1.0, 1e-6, 13))

MAX_REMEMBERED = 100
"""Comparisons whose answer is remembered."""
LINEAR, TREES = "linear model", "boosted trees"


@dataclass(frozen=True)
class Baselines:
    """A guess and the model without privacy, as means over the splits."""

    measure: Metric
    # of always giving the most frequent answer, or the mean, of the training records
    guesses: Mapping[str, float]
    measured: Mapping[str, float]  # of the model without privacy
    # standard errors that the choice of test records leaves; nan on one split
    split_errors: Mapping[str, float]
    ranges: Mapping[str, tuple[float, float]]  # of its measures on new records, at 95 %
    # `LINEAR` or `TREES`, whichever was better in 5-fold cross-validation on (at most 10,000 of)
    # the training records of the first split
    model: str
    # of the linear model, whose λ is best in such a cross-validation on each split
    linear: Mapping[str, float]
    lam: float  # of the linear model; of several splits the geometric mean
    positive: float  # share of positive outcomes among the test records; nan without two classes

    def by(self, measure: Metric) -> Baselines:
        """The baselines with another measure."""
        return replace(self, measure=measure)

    @property
    def rows(self) -> pd.DataFrame:
        """One row with both models without privacy and the guess, for a file."""
        import pandas as pd

        row: dict[str, object] = {"baseline": self.model, **self.measured}
        row |= {f"{name}{SPLIT_ERROR}": error for name, error in self.split_errors.items()}
        row |= {f"{name}_linear": value for name, value in self.linear.items()}
        row |= {f"{name}_guess": value for name, value in self.guesses.items()}
        row["lam"] = self.lam
        row["positive"] = self.positive
        for name, (low, high) in self.ranges.items():
            row |= {f"{name}_range_low": low, f"{name}_range_high": high}
        return pd.DataFrame([row])

    @classmethod
    def read(cls, rows: pd.DataFrame, measure: Metric) -> Baselines:
        """Those of which `rows` are."""
        row = rows.iloc[0]
        names = [str(name) for name in row.index]

        def ending(end: str) -> dict[str, float]:
            some = [name.removesuffix(end) for name in names if name.endswith(end)]
            return {name: float(row[f"{name}{end}"]) for name in some}

        linear = ending("_linear")
        low, high = ending("_range_low"), ending("_range_high")
        return cls(
            measure=measure,
            guesses=ending("_guess"),
            measured={name: float(row[name]) for name in linear},
            split_errors=ending(SPLIT_ERROR),
            ranges={name: (low[name], high[name]) for name in low},
            model=str(row["baseline"]),
            linear=linear,
            lam=float(row["lam"]),
            positive=float(row["positive"]),
        )

    @property
    def value(self) -> float:
        """The measure of the model without privacy."""
        return self.measured[self.measure.column]

    @property
    def between(self) -> tuple[float, float]:
        """Range of `value` on new records, at 95 %."""
        return self.ranges[self.measure.column]

    @property
    def guess(self) -> float:
        """The measure of an answer without any features."""
        return self.guesses[self.measure.column]


@dataclass(frozen=True, eq=False)
class WithoutPrivacy:
    model: str
    # the rows that the better model scores, and its weights on them; to be read once, as trees are
    # trained meanwhile
    judging: Iterable[tuple[Split, Array]]
    linear: list[Array]
    lams: list[float]


def usual(preparation: Preparation) -> Preparation:
    """The preparation of the baselines: the usual one, of the same splits."""
    return Preparation(
        seed=preparation.seed,
        test_fraction=preparation.test_fraction,
        held_out=preparation.held_out,
    )


def baselines(
    split: Splits,
    table: Table | None = None,
    progress: Progress = silent,
    watch: Watch | None = None,
) -> Baselines:
    """Measure a guess and the model without privacy; without a `table`, no boosted trees."""
    splits = each(split)
    first = splits[0]
    fitted = without_privacy(splits, table, progress)
    judging = []
    for place, (judged_on, weights) in enumerate(fitted.judging):
        judging.append(_Judged.of(judged_on, weights))
        if watch is not None:
            watch(judged_on, place, {math.inf: np.atleast_2d(weights)})
    scored = [one.measured for one in judging]
    linear = scored
    if fitted.model != LINEAR:
        linear = [_measured(*one) for one in zip(splits, fitted.linear, strict=True)]
    lams = fitted.lams
    measured = _mean(scored)
    # On s splits of m test records each, about `judged` different ones are tested.
    narrower = math.sqrt(first.tested / judged(splits))
    ranges = {}
    for name in judging[0].intervals:
        reach = np.mean(
            [
                np.abs(np.subtract(one.intervals[name], one.measured[name]))
                for one in judging
                if name in one.intervals  # an area has none where a class is missing
            ],
            axis=0,
        )
        low, high = (measured[name] - narrower * reach[0], measured[name] + narrower * reach[1])
        ranges[name] = float(low), float(high)
    return Baselines(
        measure=scoring_for(first).measures(first)[0],
        guesses=_mean([one.guesses for one in judging]),
        measured=measured,
        split_errors={
            name: float(split_error(_defined([one[name] for one in scored]))) for name in measured
        },
        ranges=ranges,
        model=fitted.model,
        linear=_mean(linear),
        lam=math.exp(float(np.mean(np.log(lams)))) if min(lams) > 0.0 else 0.0,
        positive=_mean_or_nan([one.positive for one in judging]),
    )


def _mean_or_nan(values: Sequence[float]) -> float:
    mean = float(np.mean(values))
    return math.nan if math.isnan(mean) else mean


@dataclass(frozen=True)
class _Judged:
    measured: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    guesses: dict[str, float]
    positive: float

    @classmethod
    def of(cls, split: Split, weights: Array) -> _Judged:
        scoring = scoring_for(split)
        intervals, guesses = scoring.intervals(split, weights), scoring.guesses(split)
        is_binary = split.entry.predicts == "class"
        positive = float(np.mean(split.y_test > 0.0)) if is_binary else math.nan
        return cls(_measured(split, weights), intervals, guesses, positive)


def without_privacy(
    split: Splits, table: Table | None = None, progress: Progress = silent
) -> WithoutPrivacy:
    """The models that `baselines` measures."""
    splits, tuned = each(split), []
    for place, one in enumerate(splits):
        progress(0.1 * place / len(splits), "training linear models")
        tuned.append(_tuned(one))
    linear, lams = ([*part] for part in zip(*tuned, strict=True))
    model = LINEAR if table is None else _better(table, splits[0], lams[0], progress)
    judging: Iterable[tuple[Split, Array]] = zip(splits, linear, strict=True)
    if table is not None and model == TREES:
        judging = _of_trees(table, splits, progress)
    return WithoutPrivacy(model, judging, linear, lams)


def _of_trees(
    table: Table, splits: Sequence[Split], progress: Progress
) -> Iterator[tuple[Split, Array]]:
    for place, one in enumerate(splits):
        progress(0.5 + 0.5 * place / len(splits), f"training boosted trees, split {place + 1}")
        yield scored_by_trees(columns_for_trees(table, one), one)


_better_of: dict[str, str] = {}
"""The better model by a digest of all that the comparison reads: the worker of one page judges the
same records for several tabs, and the comparison is most of what that takes."""


def _better(table: Table, split: Split, lam: float, progress: Progress) -> str:
    features, labels = split.known
    columns = columns_for_trees(table, split)
    sample, fold = _folds(split)
    if len(sample) < CROSS_VALIDATION_FOLDS:
        return LINEAR
    problem = _problem(split)
    measure = scoring_for(split).measures(split)[0]
    about = f"{split.entry.key} {split.preparation} {columns.categories} {lam} {measure}"
    name = _digest(about, columns.train, features, labels)
    if name in _better_of:
        return _better_of[name]
    advantage = 0.0
    for validation_fold in range(CROSS_VALIDATION_FOLDS):
        progress(0.1 + 0.08 * validation_fold, "comparing them with boosted trees")
        inside, outside = sample[fold != validation_fold], sample[fold == validation_fold]
        part = replace(
            split,
            x_train=features[inside],
            y_train=labels[inside],
            x_test=features[outside],
            y_test=labels[outside],
            blank=np.zeros(len(inside), dtype=bool),
            tested=len(outside),
        )
        theirs = Columns(columns.train[inside], columns.train[outside], columns.categories)
        weights = _fitted(problem, part.x_train, part.y_train, lam)
        linear, trees = _measured(part, weights), _measured(*scored_by_trees(theirs, part))
        advantage += measure.sign * (trees[measure.column] - linear[measure.column])
    if len(_better_of) >= MAX_REMEMBERED:
        _better_of.clear()
    _better_of[name] = TREES if advantage > 1e-12 else LINEAR
    return _better_of[name]


def _digest(about: str, *arrays: Array) -> str:
    digest = sha256(about.encode())
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()


def _mean(values: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(_defined([value[name] for value in values]).mean()) for name in values[0]}


def _defined(values: list[float]) -> Array:
    every = np.array(values)
    return every if np.isnan(every).all() else every[~np.isnan(every)]


def _measured(split: Split, weights: Array) -> dict[str, float]:
    expected, _ = scoring_for(split).expected(
        split, weights[None], np.zeros(1), np.zeros((1, len(weights)))
    )
    return {name: float(value[0]) for name, value in expected.items()}


def _problem(split: Split) -> Problem:
    study = Study(loss=losses_for(split.entry)[0], methods=("nonprivate",))
    return problem_for(study, split)


def _folds(split: Split) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    _, labels = split.known
    order = np.random.default_rng(split.preparation.seed).permutation(len(labels))
    sample = order[:CROSS_VALIDATION_RECORDS]
    return sample, np.arange(len(sample)) % min(CROSS_VALIDATION_FOLDS, max(1, len(sample)))


def _tuned(split: Split) -> tuple[Array, float]:
    problem = _problem(split)
    scoring = scoring_for(split)
    features, labels = split.known
    sample, fold = _folds(split)
    if len(sample) < 2:  # all others are blank: no record can be held out
        return one_vs_rest.minimise(problem, split.x_train, split.y_train), problem.lam
    score = np.zeros(len(CROSS_VALIDATION_LAMS))
    means = []
    for part in one_vs_rest.parts(problem, labels[sample]):
        forms, paths = problem.forms(features[sample], part.labels), []
        for validation_fold in range(int(fold.max()) + 1):
            is_training = fold != validation_fold
            paths.append(ridge_path(problem.function, forms[is_training], CROSS_VALIDATION_LAMS))
            score += scoring.validation_score(forms[~is_training].at(paths[-1].T))
        means.append(np.mean(paths, axis=0))
    # On a tie the larger λ wins.
    best = int(np.argmax(np.round(score, 12)))
    lam = CROSS_VALIDATION_LAMS[best]
    starts = [mean[best] for mean in means]
    return _fitted(problem, features, labels, lam, starts), lam


def _fitted(
    problem: Problem,
    features: Array,
    labels: Array,
    lam: float,
    starts: Sequence[Array] | None = None,
) -> Array:
    parts = list(one_vs_rest.parts(problem, labels))
    begins = [None] * len(parts) if starts is None else starts
    models = [
        ridge_path(problem.function, problem.forms(features, part.labels), [lam], start)
        for part, start in zip(parts, begins, strict=True)
    ]
    return np.concatenate([path[0] for path in models])
