"""One row per (method, ε): in closed form for output perturbation, from sampled runs for the rest.

Both kinds share their columns, so a page draws them from one table. Bands are the 5 % and 95 %
quantiles of a single run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets import Split, load, prepare
from dpcore.erm.method import Array, Calibration, Progress, silent
from dpcore.erm.newton import minimise, ridge_path
from dpcore.erm.output_noise import centres
from dpcore.evaluation import metrics
from dpcore.evaluation.study import Study, calibrations_for, delta_for, problem_for
from dpcore.evaluation.sweep import sweep
from dpcore.evaluation.task import Outcome, Partial, Report
from dpcore.guarantee import Guarantee
from dpcore.methods import method_named

if TYPE_CHECKING:
    import pandas as pd

LOW, HIGH = 0.05, 0.95
BAND_DRAWS = 200
BAND_STREAM = 0x42616E64  # keeps these draws apart from those of any sweep with the same seed
BAND_RECORDS = 2_000  # the objective's spread is measured on this many training records
CROSS_VALIDATION_FOLDS = 5
CROSS_VALIDATION_RECORDS = 10_000  # beyond, λ moves held-out accuracy by less than its noise
CROSS_VALIDATION_LAMS = tuple(float(x) for x in np.geomspace(1.0, 1e-6, 13))

CALIBRATION_COLUMNS = (
    "method",
    "edition",
    "epsilon",
    "delta",
    "adjacency",
    "status",
    "reason",
    "accountant",
    "certified_epsilon",
    "sensitivity",
    "sigma",
    "steps",
    "excess_risk_bound_published",
    "excess_risk_bound_sound",
)
MEASURED_COLUMNS = (
    "accuracy",
    "accuracy_low",
    "accuracy_high",
    "balanced_accuracy",
    "objective",
    "objective_low",
    "objective_high",
    "excess_risk",
    "missed_per_1000",
    "false_per_1000",
    "runs",
    "source",
)
COLUMNS = CALIBRATION_COLUMNS + MEASURED_COLUMNS


@dataclass(frozen=True)
class Reference:
    """One non-private model.

    Parameters
    ----------
    lam : float
        Its λ.
    accuracy, balanced_accuracy : float
        On the test records.
    objective : float
        Its own F on the training records.
    missed_per_1000, false_per_1000 : float
        Wrongly judged positives and negatives among 1,000 people like the test records.
    """

    lam: float
    accuracy: float
    balanced_accuracy: float
    objective: float
    missed_per_1000: float
    false_per_1000: float


@dataclass(frozen=True)
class Baselines:
    """What private models are compared with.

    Parameters
    ----------
    positive_share : float
        Of the test records.
    majority_accuracy : float
        Of always answering the commoner class of the training records, on the test records.
    same_lam : Reference
        The non-private minimiser of the study's own problem.
    tuned : Reference
        The non-private model whose λ has the best accuracy in 5-fold cross-validation on (at most
        10,000 of) the training records.
    """

    positive_share: float
    majority_accuracy: float
    same_lam: Reference
    tuned: Reference

    @property
    def best(self) -> Reference:
        """The more accurate of the two models, against which points lost to privacy are counted.

        λ is chosen on the training records, so on the test records the other one may be better.
        """
        return self.same_lam if self.same_lam.accuracy > self.tuned.accuracy else self.tuned

    @property
    def other(self) -> Reference:
        """The model that is not `best`."""
        return self.tuned if self.best is self.same_lam else self.same_lam


def calibration_table(calibrations: Mapping[str, Sequence[Calibration]]) -> pd.DataFrame:
    """σ and verdict per (method, ε): known before any training."""
    import pandas as pd

    def held(c: Calibration) -> Guarantee:
        return c.proof if c.proof.epsilon is not None else c.certified

    def delta(c: Calibration) -> float:
        """Of what holds, which may be less than was asked for; where nothing holds, that."""
        found = held(c)
        if found.epsilon is None or found.delta is None:
            return c.requested.delta
        return found.delta

    rows = [
        (
            c.method,
            str(c.edition),
            c.requested.epsilon,
            delta(c),
            str(c.problem.adjacency),
            str(c.status),
            c.proof.reason,
            held(c).by,
            math.nan if c.certified.epsilon is None else c.certified.epsilon,
            c.sensitivity,
            c.sigma,
            c.steps,
            math.nan if c.bound_published is None else c.bound_published,
            math.nan if c.bound_sound is None else c.bound_sound,
        )
        for group in calibrations.values()
        for c in group
    ]
    return pd.DataFrame(rows, columns=list(CALIBRATION_COLUMNS))


def minimiser(study: Study, split: Split) -> Array:
    """The non-private model at the study's own λ, to give to `closed_form` and `baselines`."""
    return minimise(problem_for(study, split), split.x_train, split.y_train)


def closed_form(study: Study, split: Split, exact: Array | None = None) -> pd.DataFrame:
    """The study's closed-form methods at every ε, without sampling error in the means.

    Parameters
    ----------
    study : Study
        Methods without a closed form are left out.
    split : Split
    exact : (d,) array, optional
        `minimiser`, where at hand.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, one row per (method, ε); `source` is "closed form". Means are exact to
        1e-4; bands come from 200 draws (the objective's spread from 2,000 training records).
    """
    import pandas as pd

    problem = problem_for(study, split)
    calibrations = {
        key: group
        for key, group in calibrations_for(study, problem, delta_for(study, split)).items()
        if method_named(key).closed_form
    }
    table = calibration_table(calibrations)
    if table.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    noisy = [c for group in calibrations.values() for c in group if c.sigma > 0]
    exact = minimiser(study, split) if exact is None else exact
    middles = np.empty((len(table), len(exact)))
    still = (table["sigma"] == 0).to_numpy()
    middles[still] = exact
    if noisy:
        middles[~still] = centres(problem, split.x_train, split.y_train, noisy)
    sigmas = table["sigma"].to_numpy()
    test = metrics.expected_rates(middles, sigmas, split.x_test, split.y_test)
    objective = metrics.expected_objectives(problem, middles, sigmas, split.x_train, split.y_train)
    best = metrics.expected_objectives(
        problem, exact[None], np.zeros(1), split.x_train, split.y_train
    )[0]
    accuracy_band, objective_shift = _bands(study, split, middles, sigmas)
    missed, false = _per_thousand(test.true_positive, test.true_negative, split)
    return table.assign(
        accuracy=test.accuracy,
        accuracy_low=accuracy_band[0],
        accuracy_high=accuracy_band[1],
        balanced_accuracy=test.balanced,
        objective=objective,
        objective_low=objective + objective_shift[0],
        objective_high=objective + objective_shift[1],
        excess_risk=objective - best,
        missed_per_1000=missed,
        false_per_1000=false,
        runs=BAND_DRAWS,
        source="closed form",
    )[list(COLUMNS)]


def _bands(study: Study, split: Split, middles: Array, sigmas: Array) -> tuple[Array, Array]:
    """Quantiles of one run's accuracy, and of its objective minus its mean; (2, rows) each."""
    problem = problem_for(study, split)
    generator = np.random.default_rng([study.seed, BAND_STREAM])
    draws = generator.standard_normal((BAND_DRAWS, middles.shape[1]))
    hits = metrics.noisy_accuracies(middles, sigmas, draws, split.x_test, split.y_test)
    accuracy = np.quantile(hits, [LOW, HIGH], axis=1)
    some = generator.permutation(len(split.y_train))[:BAND_RECORDS]
    objectives = metrics.noisy_objectives(
        problem, middles, sigmas, draws, split.x_train[some], split.y_train[some]
    )
    # Against these draws' own mean: the records left out shift every draw by nearly the same.
    objectives -= objectives.mean(axis=1, keepdims=True)
    objective = np.quantile(objectives, [LOW, HIGH], axis=1)
    return accuracy, objective


def answers(
    study: Study,
    *,
    split: Split | None = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """Every method of the study at every ε: in closed form where there is one, else sampled.

    Parameters
    ----------
    study : Study
    split : Split, optional
        Prepared data, where at hand; loaded by the study's description otherwise.
    progress : callable
        Called with (fraction done, message).
    cancelled : callable
        Asked between training steps; once it answers True, `Cancelled` is raised.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`, one row per (method, ε).
    """
    import pandas as pd

    if split is None:
        split = prepare(load(study.dataset, records=study.records), study.preparation)
    exact = tuple(key for key in study.methods if method_named(key).closed_form)
    sampled = tuple(key for key in study.methods if key not in exact)
    tables = []
    if exact:
        tables.append(closed_form(replace(study, methods=exact), split))
    if sampled:
        trained = replace(study, methods=sampled)
        rows = sweep(trained, split=split, progress=progress, cancelled=cancelled)
        progress(1.0, "certifying the noise")
        tables.append(summarise(rows, trained, split))
    return pd.concat(tables, ignore_index=True)


@dataclass(frozen=True)
class Answers:
    """`answers` as a task.

    Parameters
    ----------
    study : Study
    split : Split, optional
        Needed for uploaded data, which a worker can't load by name.
    """

    study: Study
    split: Split | None = None

    @property
    def key(self) -> str:
        """The study's."""
        return self.study.key

    @property
    def title(self) -> str:
        """Its methods."""
        return ", ".join(method_named(key).title for key in self.study.methods)

    def run(self, report: Report, partial: Partial, cancelled: Callable[[], bool]) -> Outcome:
        """See `dpcore.evaluation.task.Task`; there are no rows before the last."""
        return Outcome(answers(self.study, split=self.split, progress=report, cancelled=cancelled))


def summarise(rows: pd.DataFrame, study: Study, split: Split) -> pd.DataFrame:
    """A sweep's rows as one row per (method, ε): means over runs and 5 % / 95 % quantiles.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`; `source` is "sampled".
    """
    problem = problem_for(study, split)
    methods = tuple(dict.fromkeys(rows["method"]))
    calibrations = calibrations_for(study, problem, delta_for(study, split))
    table = calibration_table({key: calibrations[key] for key in methods})
    groups = rows.groupby(["method", "epsilon"], sort=False)
    index = list(zip(table["method"], table["epsilon"], strict=True))
    mean = groups.mean(numeric_only=True).loc[index]
    low = groups[["accuracy_test", "objective"]].quantile(LOW).loc[index]
    high = groups[["accuracy_test", "objective"]].quantile(HIGH).loc[index]
    missed, false = _per_thousand(
        mean["true_positive_rate"].to_numpy(), mean["true_negative_rate"].to_numpy(), split
    )
    return table.assign(
        accuracy=mean["accuracy_test"].to_numpy(),
        accuracy_low=low["accuracy_test"].to_numpy(),
        accuracy_high=high["accuracy_test"].to_numpy(),
        balanced_accuracy=mean["balanced_accuracy"].to_numpy(),
        objective=mean["objective"].to_numpy(),
        objective_low=low["objective"].to_numpy(),
        objective_high=high["objective"].to_numpy(),
        excess_risk=mean["excess_risk"].to_numpy(),
        missed_per_1000=missed,
        false_per_1000=false,
        runs=groups.size().loc[index].to_numpy(),
        source="sampled",
    )[list(COLUMNS)]


def _per_thousand(true_positive: Array, true_negative: Array, split: Split) -> tuple[Array, Array]:
    """Missed and falsely flagged people among 1,000 with the test records' share of positives."""
    share = float(np.mean(split.y_test > 0))
    return 1000.0 * share * (1.0 - true_positive), 1000.0 * (1.0 - share) * (1.0 - true_negative)


def baselines(study: Study, split: Split, exact: Array | None = None) -> Baselines:
    """Majority class, the non-private model at the same λ, and one with λ tuned for accuracy.

    Parameters
    ----------
    study : Study
    split : Split
    exact : (d,) array, optional
        `minimiser`, where at hand.
    """
    problem = problem_for(study, split)
    same = minimiser(study, split) if exact is None else exact
    commoner = 1.0 if np.mean(split.y_train > 0) >= 0.5 else -1.0
    lam, near = _tuned_lam(study, split)
    signed = split.x_train * split.y_train[:, None]
    tuned = ridge_path(problem.function, signed, [lam], near)[0]
    return Baselines(
        positive_share=float(np.mean(split.y_test > 0)),
        majority_accuracy=float(np.mean(split.y_test == commoner)),
        same_lam=_reference(study, split, same, problem.lam),
        tuned=_reference(study, split, tuned, lam),
    )


def _reference(study: Study, split: Split, weights: Array, lam: float) -> Reference:
    problem = problem_for(study, split)
    test = metrics.rates(weights[None], split.x_test, split.y_test)
    margins = split.y_train * (split.x_train @ weights)
    missed, false = _per_thousand(test.true_positive, test.true_negative, split)
    return Reference(
        lam=lam,
        accuracy=float(test.accuracy[0]),
        balanced_accuracy=float(test.balanced[0]),
        objective=float(problem.function.value(margins).mean() + 0.5 * lam * weights @ weights),
        missed_per_1000=float(missed[0]),
        false_per_1000=float(false[0]),
    )


def _tuned_lam(study: Study, split: Split) -> tuple[float, Array]:
    """λ with the best mean held-out accuracy over 5 folds of at most 10,000 training records.

    The larger λ on a tie. With it, the mean of the folds' minimisers.
    """
    problem = problem_for(study, split)
    order = np.random.default_rng(split.preparation.seed).permutation(len(split.y_train))
    some = order[:CROSS_VALIDATION_RECORDS]
    signed = split.x_train[some] * split.y_train[some, None]
    fold = np.arange(len(some)) % min(CROSS_VALIDATION_FOLDS, len(some))
    accuracy = np.zeros(len(CROSS_VALIDATION_LAMS))
    paths = []
    for held in range(int(fold.max()) + 1):
        inside = fold != held
        paths.append(ridge_path(problem.function, signed[inside], CROSS_VALIDATION_LAMS))
        accuracy += np.mean(signed[~inside] @ paths[-1].T > 0, axis=0)
    best = int(np.argmax(np.round(accuracy, 12)))
    return CROSS_VALIDATION_LAMS[best], np.mean(paths, axis=0)[best]
