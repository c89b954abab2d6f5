"""The references of private models: a guess, and the model that would be used without privacy.

Both belong to the data set alone. No setting of a private model moves them, so that one loss is one
loss whatever else is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dpcore.datasets import Preparation, Split
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Array
from dpcore.erm.newton import ridge_path
from dpcore.evaluation.scoring import Metric, scoring_for
from dpcore.evaluation.splits import Splits, each, judged
from dpcore.evaluation.study import Study, losses_for, problem_for

CROSS_VALIDATION_FOLDS = 5
CROSS_VALIDATION_RECORDS = 10_000  # beyond, λ moves held-out accuracy by less than its noise
CROSS_VALIDATION_LAMS = tuple(float(x) for x in np.geomspace(1.0, 1e-6, 13))


@dataclass(frozen=True)
class Baselines:
    """A guess and the model without privacy, as means over the splits.

    Parameters
    ----------
    measure : Metric
        The measure of the comparison.
    guesses : Mapping of str to float
        Each measure, on the test records, of always giving the most frequent answer or the mean of
        the training records.
    measured : Mapping of str to float
        Columns in a table of curves of the model without privacy, whose λ is best in 5-fold
        cross-validation on (at most 10,000 of) the training records.
    ranges : Mapping of str to (float, float)
        Ranges of its measures on new records, at 95 %.
    lam : float
        Its λ; of several splits the geometric mean.
    """

    measure: Metric
    guesses: Mapping[str, float]
    measured: Mapping[str, float]
    ranges: Mapping[str, tuple[float, float]]
    lam: float

    def by(self, measure: Metric) -> Baselines:
        """The baselines with another measure."""
        return replace(self, measure=measure)

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


def usual(preparation: Preparation) -> Preparation:
    """The preparation of the baselines: the usual one, of the same splits."""
    return Preparation(seed=preparation.seed, test_fraction=preparation.test_fraction)


def baselines(split: Splits) -> Baselines:
    """The baselines of a data set.

    Parameters
    ----------
    split : Split or sequence of Split
        Prepared as `usual` says.
    """
    splits = each(split)
    scoring = scoring_for(splits[0])
    models = [_tuned(one) for one in splits]
    scored = [_measured(one, weights) for one, (weights, _) in zip(splits, models, strict=True)]
    measured = _mean(scored)
    guesses = _mean([scoring.guesses(one) for one in splits])
    # On s splits of m test records each, about `judged` different ones are tested.
    narrower = math.sqrt(splits[0].tested / judged(splits))
    intervals = [
        scoring.intervals(one, weights) for one, (weights, _) in zip(splits, models, strict=True)
    ]
    ranges = {}
    for name in intervals[0]:
        reach = np.mean(
            [
                (score[name] - interval[name][0], interval[name][1] - score[name])
                for score, interval in zip(scored, intervals, strict=True)
                if name in interval  # an area has none where a class is missing
            ],
            axis=0,
        )
        low, high = (measured[name] - narrower * reach[0], measured[name] + narrower * reach[1])
        ranges[name] = float(low), float(high)
    lams = [lam for _, lam in models]
    return Baselines(
        measure=scoring.measures(splits[0])[0],
        guesses=guesses,
        measured=measured,
        ranges=ranges,
        lam=math.exp(float(np.mean(np.log(lams)))) if min(lams) > 0.0 else 0.0,
    )


def _mean(values: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([value[name] for value in values])) for name in values[0]}


def _measured(split: Split, weights: Array) -> dict[str, float]:
    expected = scoring_for(split).expected(
        split, weights[None], np.zeros(1), np.zeros((1, len(weights)))
    )
    return {name: float(value[0]) for name, value in expected.items()}


def _tuned(split: Split) -> tuple[Array, float]:
    """The model whose λ is best on held-out records, and that λ."""
    study = Study(loss=losses_for(split.entry)[0], methods=("nonprivate",))
    problem = problem_for(study, split)
    scoring = scoring_for(split)
    features, labels = split.known
    order = np.random.default_rng(split.preparation.seed).permutation(len(labels))
    sample = order[:CROSS_VALIDATION_RECORDS]
    if len(sample) < 2:  # all others are blank: no record can be held out
        return one_vs_rest.minimise(problem, split.x_train, split.y_train), problem.lam
    fold = np.arange(len(sample)) % min(CROSS_VALIDATION_FOLDS, len(sample))
    score = np.zeros(len(CROSS_VALIDATION_LAMS))
    means = []
    for part in one_vs_rest.parts(problem, labels[sample]):
        forms, paths = problem.forms(features[sample], part.labels), []
        for held_fold in range(int(fold.max()) + 1):
            is_training = fold != held_fold
            paths.append(ridge_path(problem.function, forms[is_training], CROSS_VALIDATION_LAMS))
            score += scoring.held_out(forms[~is_training].at(paths[-1].T))
        means.append(np.mean(paths, axis=0))
    # On a tie the larger λ wins.
    best = int(np.argmax(np.round(score, 12)))
    lam = CROSS_VALIDATION_LAMS[best]
    weights = [
        ridge_path(problem.function, problem.forms(features, part.labels), [lam], mean[best])
        for part, mean in zip(one_vs_rest.parts(problem, labels), means, strict=True)
    ]
    return np.concatenate([path[0] for path in weights]), lam
