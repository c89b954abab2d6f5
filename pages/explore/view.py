"""All that Explore shows except what changes with ε: computed once a run, mostly from caches."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from dpcore.datasets import Split, entry
from dpcore.erm.method import Calibration
from dpcore.erm.problem import Problem
from dpcore.evaluation.curves import Baselines
from dpcore.evaluation.curves import Reference as Unnoised
from dpcore.evaluation.scoring import Metric, scoring_for
from dpcore.evaluation.study import Study, delta_for, problem_for
from dpcore.figures import noise, tradeoff
from dpcore.figures.chosen import Cases
from dpcore.figures.curves import ReferenceLine, at
from dpcore.figures.drawn import Drawn
from dpcore.figures.quality import Quality
from dpcore.figures.tradeoff import Noiseless
from dpcore.figures.verdict import few_records
from dpcore.figures.words import plain
from dpcore.methods import titles
from pages.explore import curve_jobs, loaders
from pages.explore.controls import ExploreChoice
from pages.shared import uploads
from pages.shared.charts import on_dark
from pages.shared.shared_jobs import WatchedJobs


@dataclass(frozen=True)
class View:
    """All that the page shows except ε: computed once a run, mostly from caches.

    `closed` and `to_train` are the closed-form and the trained parts of `study`.
    """

    study: Study
    published: bool
    split: Split
    problem: Problem
    delta: float
    methods: tuple[str, ...]
    table: pd.DataFrame
    compared: Baselines
    titles: dict[str, str]
    closed: Study
    to_train: tuple[Study, ...]
    untrained: tuple[WatchedJobs, ...]  # jobs of `to_train` with curves not in the table
    dark: bool

    @property
    def waiting(self) -> tuple[str, ...]:
        """The methods whose curves are not in the table."""
        return tuple(job.name for job in self.untrained)

    @property
    def stopped(self) -> tuple[str, ...]:
        """Those of `waiting` that are not being trained: stopped, or failed."""
        return tuple(job.name for job in self.untrained if job.drawn != "running")

    @property
    def people(self) -> str:
        """Plural noun for the records."""
        return self.split.entry.records_are

    def rows_at(self, epsilon: float) -> pd.DataFrame:
        """One row per method, at its ε nearest to the chosen one."""
        groups = self.table.groupby("method", sort=False)
        return pd.DataFrame([at(rows, epsilon) for _, rows in groups])

    def calibrations_at(self, epsilon: float) -> list[Calibration]:
        """Sensitivity, σ, conditions, claim and proof of each private method at the chosen ε."""
        return [
            loaders.calibration(self.study, self.split, method, epsilon) for method in self.methods
        ]

    @property
    def queries(self) -> dict[str, str]:
        """What each private method adds its noise to, in words; the same at every ε."""
        epsilon = self.study.epsilons[-1]
        return {
            calibration.method: calibration.query for calibration in self.calibrations_at(epsilon)
        }

    @property
    def without_privacy(self) -> list[Cases]:
        """The models without privacy that missed cases are compared with, the best one first."""
        return [
            Cases(
                f"no privacy, {self.named(model)}",
                model.measured["missed_per_1000"],
                model.measured["false_per_1000"],
            )
            for model in (self.compared.best, self.compared.other)
        ]

    def named(self, model: Unnoised) -> str:
        """How λ of a model without privacy was chosen, in words."""
        return "λ by cross-validation" if model is self.compared.tuned else "same λ"

    @property
    def quality(self) -> Quality:
        """The measure that models are compared by, with its words."""
        return Quality(self.compared.measure)

    @property
    def rough(self) -> str:
        """One sentence on how rough a small test set is; empty for a large one."""
        best, records = self.compared.best, len(self.split.y_test)
        return few_records(
            self.compared.value(best), self.compared.between(best), records, self.quality
        )

    @property
    def noiseless(self) -> Noiseless:
        """The model that the private methods train, without their noise."""
        same, tuned = self.compared.same_lam, self.compared.tuned
        return Noiseless(self.compared.value(same), same.lam, tuned.lam, self.problem.radius)

    @property
    def ill_per_1000(self) -> float:
        """How many of 1,000 test records are positive."""
        return 1000.0 * float((self.split.y_test > 0).mean())

    @property
    def references(self) -> list[ReferenceLine]:
        """Lines on the main figure; losses are counted against the first."""
        guess, value, shown = self.compared.guess, self.compared.value, self.quality.shown
        guessing = self.quality.words.guess
        return [
            *(
                ReferenceLine(
                    f"no privacy, {self.named(model)}: {shown(value(model))}",
                    value(model),
                    dash="dash" if model is self.compared.tuned else "longdash",
                )
                for model in (self.compared.best, self.compared.other)
            ),
            ReferenceLine(f"{guessing}: {shown(guess)}", guess, dash="dot"),
        ]


def gather(choice: ExploreChoice) -> View:
    """Compute or fetch what the page shows, with a spinner meanwhile.

    Raises
    ------
    InvalidInput
        If a file is invalid, or the settings do not fit the records.
    """
    description = "every record of the file"
    if choice.upload is None:
        size = choice.study.records or entry(choice.study.dataset).records
        description = f"{size:,} records"
    with st.spinner(f"Reading {description} …", show_time=True):
        study, split, published = loaders.records_of(choice)
    problem = problem_for(study, split)
    to_train = tuple(curve_jobs.trained_study(study, method, split) for method in choice.trained)
    closed = replace(study, methods=("nonprivate", *choice.closed), runs=Study.runs)
    with st.spinner(f"Computing the curves from {split.records:,} records …", show_time=True):
        parts = [loaders.closed_form(closed, split)]
        compared = loaders.baselines(closed, split)
    jobs = [curve_jobs.watched(trained) for trained in to_train]
    parts += [
        curve_jobs.results(trained)
        for trained, job in zip(to_train, jobs, strict=True)
        if job.drawn == "done"
    ]
    rank = {method: place for place, method in enumerate(study.methods)}
    table = pd.concat(parts, ignore_index=True).sort_values(
        "method", key=lambda column: column.map(rank), kind="stable", ignore_index=True
    )
    return View(
        study=study,
        published=published,
        split=split,
        problem=problem,
        delta=delta_for(study, split),
        methods=study.methods[1:],
        table=table,
        compared=compared.by(_measure(choice, split)),
        titles=titles(),
        closed=closed,
        to_train=to_train,
        untrained=tuple(job for job in jobs if job.drawn != "done"),
        dark=on_dark(),
    )


def _measure(choice: ExploreChoice, split: Split) -> Metric:
    """The chosen measure, or the default if the records do not allow it."""
    metrics = scoring_for(split).measures(split)
    return next((metric for metric in metrics if metric.column == choice.measure), metrics[0])


# The same object each time: a copy may order its fields differently, and the browser would then
# treat it as another figure and lose the zoom.
@st.cache_resource(max_entries=200, show_spinner=False)
def _figure(kind: str, key: str, _view: View) -> Drawn:
    """A figure that does not depend on ε, cached by its key."""
    return _drawn(kind, _view)


def _drawn(kind: str, view: View) -> Drawn:
    if kind == "quality":
        return tradeoff.accuracy(
            view.table,
            view.references,
            titles=view.titles,
            noiseless=view.noiseless,
            quality=view.quality,
            dark=view.dark,
        )
    if kind == "objective":
        minimum = ReferenceLine(
            f"smallest value: {plain(view.compared.same_lam.objective)}",
            view.compared.same_lam.objective,
        )
        return tradeoff.objective(view.table, [minimum], titles=view.titles, dark=view.dark)
    if kind == "sigma":
        return noise.sigma(view.table, titles=view.titles, queries=view.queries, dark=view.dark)
    return tradeoff.excess_risk(view.table, titles=view.titles, dark=view.dark)


def figure(kind: str, view: View) -> Drawn:
    """A figure over the whole ε grid; identical while only ε changes, so that zoom stays."""
    key = f"{view.study.key} {view.waiting} {view.dark} {view.quality.column}"
    if view.study.upload:
        drawn: Drawn = uploads.figure(f"{kind} {key}", lambda: _drawn(kind, view))
        return drawn
    return _figure(kind, key, view)
