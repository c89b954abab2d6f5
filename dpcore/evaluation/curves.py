"""One row per (method, ε): in closed form for output perturbation, from sampled runs for the rest.

Both kinds share their columns, so a page draws them from one table. Bands are the 5 % and 95 %
quantiles of a single run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets import Split, load, prepare
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Array, Calibration
from dpcore.erm.newton import ridge_path
from dpcore.erm.problem import Problem
from dpcore.evaluation.scoring import (
    HIGH,
    LOW,
    Metric,
    Scoring,
    holding,
    metrics,
    scoring_for,
    spread_by,
)
from dpcore.evaluation.scoring.binary import CLASSIFICATION
from dpcore.evaluation.study import (
    Calibrations,
    Study,
    calibrations_for,
    delta_for,
    problem_for,
)
from dpcore.evaluation.sweep import sweep
from dpcore.evaluation.task import JobContext, Outcome, StudyTask
from dpcore.guarantee import Guarantee
from dpcore.methods import method_named
from dpcore.progress import Progress, silent

if TYPE_CHECKING:
    import pandas as pd

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
    "gaussian_mu",
    "sensitivity",
    "sigma",
    "steps",
    "excess_risk_bound_published",
    "excess_risk_bound_sound",
)
OBJECTIVE_COLUMNS = ("objective", "objective_low", "objective_high", "excess_risk")


def columns(scoring: Scoring) -> tuple[str, ...]:
    """Columns of a table of curves."""
    return (*CALIBRATION_COLUMNS, *scoring.columns, *OBJECTIVE_COLUMNS, "runs", "source")


COLUMNS = columns(CLASSIFICATION)
"""Columns where classes are predicted."""


@dataclass(frozen=True)
class Reference:
    """One non-private model.

    Parameters
    ----------
    lam : float
        Its λ.
    objective : float
        Its own F on the training records.
    measured : Mapping of str to float
        Its columns in a table of curves, measured on the test records.
    between : Mapping of str to (float, float)
        Ranges of its measures on new records, at 95 %.
    """

    lam: float
    objective: float
    measured: Mapping[str, float]
    between: Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Baselines:
    """The references for private models.

    Parameters
    ----------
    measure : Metric
        The measure of the comparison.
    guesses : Mapping of str to float
        Each measure, on the test records, of always answering the commoner class or the mean of
        the training records.
    same_lam : Reference
        The non-private minimiser of the study's own problem.
    tuned : Reference
        The non-private model whose λ is best in 5-fold cross-validation on (at most 10,000 of) the
        training records.
    """

    measure: Metric
    guesses: Mapping[str, float]
    same_lam: Reference
    tuned: Reference

    def by(self, measure: Metric) -> Baselines:
        """The baselines with another measure."""
        return replace(self, measure=measure)

    def value(self, model: Reference) -> float:
        """A model's measure."""
        return model.measured[self.measure.column]

    def between(self, model: Reference) -> tuple[float, float]:
        """Range of a model's measure on new records, at 95 %."""
        return model.between[self.measure.column]

    @property
    def guess(self) -> float:
        """The measure of an answer without any features."""
        return self.guesses[self.measure.column]

    @property
    def best(self) -> Reference:
        """The better of the two models, the reference for the cost of privacy.

        λ is chosen on the training records, so on the test records the other one may be better.
        """
        same_lam_value, tuned_value = self.value(self.same_lam), self.value(self.tuned)
        return self.tuned if self.measure.reaches(tuned_value, same_lam_value) else self.same_lam

    @property
    def other(self) -> Reference:
        """The model that is not `best`."""
        return self.tuned if self.best is self.same_lam else self.same_lam


def calibration_table(calibrations: Calibrations) -> pd.DataFrame:
    """σ and verdict per (method, ε): known before any training."""
    import pandas as pd

    def guarantee(c: Calibration) -> Guarantee:
        return c.proof if c.proof.epsilon is not None else c.certified

    def delta(c: Calibration) -> float:
        """δ of the guarantee, which may be below the requested δ; without one, the requested δ."""
        standing = guarantee(c)
        if standing.epsilon is None or standing.delta is None:
            return c.requested.delta
        return standing.delta

    rows = [
        (
            c.method,
            str(c.edition),
            c.requested.epsilon,
            delta(c),
            str(c.problem.adjacency),
            str(c.status),
            c.proof.reason,
            guarantee(c).by,
            math.nan if c.certified.epsilon is None else c.certified.epsilon,
            math.nan if c.gaussian_mu is None else c.gaussian_mu,
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
    """The non-private model at the study's own λ, for `closed_form` and `baselines`."""
    return one_vs_rest.minimise(problem_for(study, split), split.x_train, split.y_train)


def closed_form(
    study: Study,
    split: Split,
    exact: Array | None = None,
    calibrations: Calibrations | None = None,
) -> pd.DataFrame:
    """The study's closed-form methods at every ε, without sampling error in the means.

    Parameters
    ----------
    study : Study
        Methods without a closed form are left out.
    split : Split
    exact : (d,) array, optional
        `minimiser`, where at hand.
    calibrations : mapping, optional
        `calibrations_for` this study, where at hand.

    Returns
    -------
    DataFrame
        `columns` by what is predicted, one row per (method, ε); `source` is "closed form". Means
        are exact to 1e-4; bands come from 200 draws (the objective's spread from 2,000 training
        records).
    """
    import pandas as pd

    problem, scoring = problem_for(study, split), scoring_for(split)
    if calibrations is None:
        calibrations = calibrations_for(study, problem, delta_for(study, split))
    calibrations = {
        key: calibrations[key] for key in study.methods if method_named(key).closed_form
    }
    table = calibration_table(calibrations)
    if table.empty:
        return pd.DataFrame(columns=list(columns(scoring)))
    noisy = [c for group in calibrations.values() for c in group if c.sigma > 0]
    exact = minimiser(study, split) if exact is None else exact
    middles = np.empty((len(table), len(exact)))
    still = (table["sigma"] == 0).to_numpy()
    middles[still] = exact
    if noisy:
        middles[~still] = one_vs_rest.centres(problem, split.x_train, split.y_train, noisy)
    sigmas = table["sigma"].to_numpy()
    generator = np.random.default_rng([study.seed, BAND_STREAM])
    draws = generator.standard_normal((BAND_DRAWS, len(exact)))
    objective = _expected_objectives(problem, split, middles, sigmas)
    best = _expected_objectives(problem, split, exact[None], np.zeros(1))[0]
    some = generator.permutation(len(split.y_train))[:BAND_RECORDS]
    shift = _objective_band(
        problem, middles, sigmas, draws, split.x_train[some], split.y_train[some]
    )
    return table.assign(
        **scoring.expected(split, middles, sigmas, draws),
        objective=objective,
        objective_low=objective + shift[0],
        objective_high=objective + shift[1],
        excess_risk=objective - best,
        runs=BAND_DRAWS,
        source="closed form" if problem.classes == 2 else "draws",
    )[list(columns(scoring))]


def _expected_objectives(problem: Problem, split: Split, middles: Array, sigmas: Array) -> Array:
    """E F(w + N(0, σ²I)), the mean over all problems where there are several classes."""
    values = [
        metrics.expected_objectives(
            problem, middles[:, part.place], sigmas, split.x_train, part.labels
        )
        for part in one_vs_rest.parts(problem, split.y_train)
    ]
    return np.asarray(np.mean(values, axis=0))


def _objective_band(
    problem: Problem, middles: Array, sigmas: Array, draws: Array, features: Array, labels: Array
) -> Array:
    """Quantiles of one run's objective minus its mean, (2, rows)."""
    values = [
        metrics.noisy_objectives(
            problem, middles[:, part.place], sigmas, draws[:, part.place], features, part.labels
        )
        for part in one_vs_rest.parts(problem, labels)
    ]
    objectives = np.mean(values, axis=0)
    # Against these draws' own mean: the records left out shift every draw by nearly the same.
    objectives -= objectives.mean(axis=1, keepdims=True)
    low, high = np.quantile(objectives, [LOW, HIGH], axis=1)
    return np.asarray(holding(0.0, low, high))


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
        `columns` by what is predicted, one row per (method, ε).
    """
    import pandas as pd

    if split is None:
        split = prepare(load(study.dataset, records=study.records), study.preparation)
    exact = tuple(key for key in study.methods if method_named(key).closed_form)
    sampled = tuple(key for key in study.methods if key not in exact)
    progress(0.0, "calibrating the noise")
    noises = calibrations_for(study, problem_for(study, split), delta_for(study, split))
    tables = []
    if exact:
        tables.append(closed_form(replace(study, methods=exact), split, calibrations=noises))
    if sampled:
        trained = replace(study, methods=sampled)
        rows = sweep(
            trained, split=split, calibrations=noises, progress=progress, cancelled=cancelled
        )
        tables.append(summarise(rows, trained, split, noises))
    return pd.concat(tables, ignore_index=True)


def task(study: Study, path: str = "") -> StudyTask:
    """The study's `answers` as a task for a worker; the records of an upload wait at `path`."""
    return StudyTask(study, work, path)


def work(study: Study, context: JobContext) -> Outcome:
    """`answers`; all rows come at the end."""
    rows = answers(
        study, split=context.records, progress=context.report, cancelled=context.cancelled
    )
    return Outcome(rows)


def summarise(
    rows: pd.DataFrame, study: Study, split: Split, calibrations: Calibrations | None = None
) -> pd.DataFrame:
    """A sweep's rows as one row per (method, ε): means over runs and 5 % / 95 % quantiles.

    Parameters
    ----------
    rows : DataFrame
        From `sweep`.
    study : Study
    split : Split
    calibrations : mapping, optional
        `calibrations_for` this study, where at hand.

    Returns
    -------
    DataFrame
        `columns` by what is predicted; `source` is "sampled".
    """
    import pandas as pd

    scoring = scoring_for(split)
    methods = tuple(dict.fromkeys(rows["method"]))
    if calibrations is None:
        problem = problem_for(study, split)
        calibrations = calibrations_for(study, problem, delta_for(study, split))
    table = calibration_table({key: calibrations[key] for key in methods})
    groups = rows.groupby(["method", "epsilon"], sort=False)
    index = list(zip(table["method"], table["epsilon"], strict=True))
    measured = pd.DataFrame(
        [scoring.over_runs(split, groups.get_group(pair)) for pair in index], index=table.index
    )
    objective = [series.loc[index].to_numpy() for series in spread_by(groups["objective"])]
    return table.assign(
        **measured,
        objective=objective[0],
        objective_low=objective[1],
        objective_high=objective[2],
        excess_risk=groups["excess_risk"].mean().loc[index].to_numpy(),
        runs=groups.size().loc[index].to_numpy(),
        source="sampled",
    )[list(columns(scoring))]


def baselines(study: Study, split: Split, exact: Array | None = None) -> Baselines:
    """A guess, the non-private model at the same λ, and one with λ tuned by cross-validation.

    Parameters
    ----------
    study : Study
    split : Split
    exact : (d,) array, optional
        `minimiser`, where at hand.
    """
    problem = problem_for(study, split)
    weights = minimiser(study, split) if exact is None else exact
    scoring = scoring_for(split)
    lam, near = _tuned_lam(study, split)
    tuned = np.concatenate(
        [
            ridge_path(
                problem.function, problem.forms(split.x_train, part.labels), [lam], near[part.place]
            )[0]
            for part in one_vs_rest.parts(problem, split.y_train)
        ]
    )
    return Baselines(
        measure=scoring.measures(split)[0],
        guesses=scoring.guesses(split),
        same_lam=_reference(study, split, weights, problem.lam),
        tuned=_reference(study, split, tuned, lam),
    )


def _reference(study: Study, split: Split, weights: Array, lam: float) -> Reference:
    problem = problem_for(study, split)
    values = [
        problem.function.value(problem.forms(split.x_train, part.labels).at(weights[part.place]))
        for part in one_vs_rest.parts(problem, split.y_train)
    ]
    penalty = 0.5 * lam * weights @ weights / len(values)
    still = np.zeros((1, len(weights)))
    scoring = scoring_for(split)
    expected = scoring.expected(split, weights[None], np.zeros(1), still)
    return Reference(
        lam=lam,
        objective=float(np.mean(values) + penalty),
        measured={name: float(value[0]) for name, value in expected.items()},
        between=scoring.intervals(split, weights),
    )


def _tuned_lam(study: Study, split: Split) -> tuple[float, Array]:
    """λ with the best mean held-out score over 5 folds of at most 10,000 training records.

    On a tie the larger λ wins. The second value is the mean of the folds' minimisers.
    """
    problem, scoring = problem_for(study, split), scoring_for(split)
    labelled = np.flatnonzero(~split.blank)
    order = np.random.default_rng(split.preparation.seed).permutation(len(labelled))
    sample = labelled[order[:CROSS_VALIDATION_RECORDS]]
    if len(sample) < 2:  # all others are blank: no record can be held out
        return problem.lam, minimiser(study, split)
    fold = np.arange(len(sample)) % min(CROSS_VALIDATION_FOLDS, len(sample))
    score = np.zeros(len(CROSS_VALIDATION_LAMS))
    means = []
    for part in one_vs_rest.parts(problem, split.y_train[sample]):
        forms, paths = problem.forms(split.x_train[sample], part.labels), []
        for held_fold in range(int(fold.max()) + 1):
            is_training = fold != held_fold
            paths.append(ridge_path(problem.function, forms[is_training], CROSS_VALIDATION_LAMS))
            score += scoring.held_out(forms[~is_training].at(paths[-1].T))
        means.append(np.mean(paths, axis=0))
    best = int(np.argmax(np.round(score, 12)))
    return CROSS_VALIDATION_LAMS[best], np.concatenate([mean[best] for mean in means])
