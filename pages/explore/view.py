"""Gather all that Explore shows except what changes with ε, once a run, mostly from caches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from dpcore.controls.explore import BEST, EPSILON, WIDE_EPSILONS
from dpcore.datasets import Split, entry
from dpcore.erm.method import Calibration
from dpcore.erm.problem import Problem
from dpcore.evaluation.baselines import LINEAR, Baselines
from dpcore.evaluation.clinic.study import gives_risks
from dpcore.evaluation.curves import on_common_splits
from dpcore.evaluation.frontier import best_rows, rows_by_rule
from dpcore.evaluation.references import ReferenceStudy
from dpcore.evaluation.scoring import ACCURACY, AREA, Metric, scoring_for
from dpcore.evaluation.study import Study, delta_for, problem_for
from dpcore.figures import noise, tradeoff
from dpcore.figures.chosen import Cases
from dpcore.figures.cost import Cost
from dpcore.figures.curves import ReferenceLine, at
from dpcore.figures.drawn import Drawn
from dpcore.figures.quality import Quality
from dpcore.figures.verdict import few_cases, few_records
from dpcore.figures.words import counted, plain
from dpcore.guarantee import Edition
from dpcore.methods import best_method, sooner_first, without_best
from dpcore.predictors import SELDOM_BEST, predictor_named, titles
from pages.explore import curve_jobs, loaders, texts
from pages.explore.controls import ExploreChoice, every_method
from pages.explore.loaders import PreparedRecords
from pages.shared import uploads
from pages.shared.charts import on_dark
from pages.shared.session import control_text, control_value
from pages.shared.shared_jobs import WatchedJobs

Value = TypeVar("Value")


@dataclass(frozen=True)
class View:
    """Hold all that the page shows except ε."""

    study: Study  # what the reader chose
    whole: Study  # the same with every method in its sound edition, of which the best is taken
    records: PreparedRecords
    problem: Problem
    delta: float
    table: pd.DataFrame  # rows of the chosen methods, and without noise
    everything: pd.DataFrame  # rows of every method whose curve is at hand
    compared: Baselines  # on the same splits; linear only while not everything is at hand
    is_compared: bool  # whether boosted trees are at hand
    titles: dict[str, str]
    untrained: tuple[WatchedJobs, ...]
    training: WatchedJobs | None
    dark: bool

    @property
    def split(self) -> Split:
        """The split that sizes are read from."""
        return self.records.first

    @property
    def methods(self) -> tuple[str, ...]:
        return self.study.methods[1:]

    @property
    def waiting(self) -> tuple[str, ...]:
        """Every method whose curve is not at hand."""
        ready = set(self.everything["method"]) | set(self.table["method"])
        return tuple(method for method in self.whole.methods if method not in ready)

    @property
    def people(self) -> str:
        return self.split.entry.records_are

    @property
    def by_looking(self) -> bool:
        """Whether the best method may be chosen by its measured mean."""
        return self.records.published

    @property
    def parts(self) -> tuple[Study, ...]:
        """The studies that give `chosen_tables`."""
        sound = _only(self.whole, set(self.study.methods))
        return tuple(filter(None, (sound, _only(self.study, _printed(self.study)))))

    @property
    def chosen_tables(self) -> list[pd.DataFrame]:
        """The rows of the chosen methods, without noise and sound, then as printed if any are."""
        own = self.table[self.table["edition"] == Edition.PUBLISHED]
        still = self.table[self.table["method"] == "nonprivate"]
        sound = self.everything[self.everything["method"].isin(self.methods)]
        rows = _in_order(pd.concat([still, sound], ignore_index=True), self.whole)
        return [part for part in (rows, own) if len(part)]

    @cached_property
    def contents(self) -> str:
        """Name all that can be drawn of it: settings, and the rows at hand."""
        judged = ["method", "edition", "runs", "splits"]
        at_hand = [
            rows[judged].drop_duplicates().to_numpy().tolist()
            for rows in (self.table, self.everything)
        ]
        measure = f"{self.quality.column} {self.is_compared}"
        return f"{self.study.key} {self.whole.key} {measure} {at_hand}"

    @cached_property
    def best(self) -> pd.DataFrame:
        """The rows of the best proved method at each ε; on one's own table, of a fixed rule."""
        return self._best_of(self.everything)

    @cached_property
    def best_with_risks(self) -> pd.DataFrame:
        """The rows of the best proved method that gives risks."""
        rows = self.everything
        return self._best_of(rows[rows["method"].map(gives_risks).astype(bool)])

    @cached_property
    def best_corrected(self) -> pd.DataFrame:
        """The rows of the best proved method whose risks can be corrected within the same ε."""
        rows = self.everything
        possible = [
            method
            for method in rows["method"].unique()
            if not loaders.uncorrectable(self.whole, self.split, method)
        ]
        return self._best_of(rows[rows["method"].isin(possible)])

    def _best_of(self, rows: pd.DataFrame) -> pd.DataFrame:
        return best_rows(rows, self.compared.measure) if self.by_looking else self._ruled(rows)

    def _ruled(self, rows: pd.DataFrame) -> pd.DataFrame:
        return rows_by_rule(rows, lambda epsilon: best_method(self.study.loss, epsilon))

    @cached_property
    def _by_rule(self) -> pd.DataFrame:
        return self._ruled(self.everything)

    def row_by_rule(self, epsilon: float) -> tuple[str, pd.Series | None]:
        """The method that the rule takes at one of the curves' ε, and its row once it is there."""
        rows = self._by_rule[self._by_rule["epsilon"] == epsilon]
        return best_method(self.study.loss, epsilon), None if rows.empty else rows.iloc[0]

    @property
    def candidates(self) -> int:
        """Number of methods among which the best one was chosen."""
        return _candidates(self.everything)

    @property
    def count(self) -> str:
        """How many methods are compared so far, of how many; the same words at every place."""
        return _count(self.everything, self.whole)

    def sought(self, focus: str, epsilon: float) -> str:
        """The method that the first screen is about; "" if it is the best of several."""
        if focus != BEST:
            return focus
        return "" if self.by_looking else best_method(self.study.loss, epsilon)

    @cached_property
    def _lines(self) -> dict[str, pd.DataFrame]:
        return {}

    def line(self, focus: str) -> pd.DataFrame:
        """The rows that the first screen is about, by ascending ε."""
        if focus == BEST:
            return self.best
        if focus not in self._lines:
            rows = self.table[self.table["method"] == focus]
            self._lines[focus] = rows.sort_values("epsilon")
        return self._lines[focus]

    def row(self, focus: str, epsilon: float) -> pd.Series | None:
        """The row of that line for the chosen ε (`figures.curves.at`)."""
        rows = self.line(focus)
        return None if rows.empty else at(rows, epsilon)

    def cost(self, row: pd.Series) -> Cost:
        """What privacy costs at a row, against the model without privacy on the same splits."""
        baseline = float(row[f"{self.quality.column}_baseline"])
        return Cost.of(row, baseline, self.quality)

    def with_row(self, row: pd.Series | None) -> View:
        """The view with a row's method before the chosen ones, if it is not among them."""
        if row is None or row["method"] in self.study.methods:
            return self
        still, *chosen = self.study.methods
        study = replace(self.study, methods=(still, row["method"], *chosen))
        own = self.everything[self.everything["method"] == row["method"]]
        table = _in_order(pd.concat([self.table, own], ignore_index=True), study)
        return replace(self, study=study, table=table)

    def rows_at(self, epsilon: float) -> pd.DataFrame:
        """One row per chosen method, for the chosen ε (`figures.curves.at`)."""
        groups = self.table.groupby("method", sort=False)
        return pd.DataFrame([at(rows, epsilon) for _, rows in groups])

    def calibration(self, method: str, edition: str, epsilon: float) -> Calibration:
        """Sensitivity, σ, conditions, claim and proof of a method at one ε."""
        study = replace(self.study, edition=edition)
        return loaders.calibration(study, self.split, method, epsilon)

    def calibrations_at(self, epsilon: float) -> list[Calibration]:
        """The calibrations of each chosen method at the chosen ε."""
        return [self.calibration(method, self.study.edition, epsilon) for method in self.methods]

    @property
    def queries(self) -> dict[str, str]:
        """What each private method adds its noise to, in words; the same at every ε."""
        epsilon = self.study.epsilons[-1]
        return {
            calibration.method: calibration.query for calibration in self.calibrations_at(epsilon)
        }

    @property
    def without_privacy(self) -> Cases:
        """The model without privacy that missed cases are compared with."""
        measured = self.compared.measured
        return Cases("no privacy", measured["missed_per_1000"], measured["false_per_1000"])

    @property
    def quality(self) -> Quality:
        """The measure that models are compared by, with its words."""
        return Quality(self.compared.measure)

    @property
    def splits(self) -> int:
        """Number of the splits that everything on screen is judged on."""
        every = self.records.all_splits
        rows = (self.table, self.everything)
        is_whole = self.is_compared and all((one["splits"] == every).all() for one in rows)
        return every if is_whole else self.records.at_once

    @property
    def judged(self) -> int:
        """About how many different records the splits test."""
        return self.records.judged(self.splits)

    @property
    def rough(self) -> str:
        """One sentence on how rough a small test set is; empty for a large one."""
        compared = self.compared
        return few_records(compared.value, compared.between, self.judged, self.quality)

    @property
    def few_cases(self) -> str:
        """One sentence on how few cases there are to miss; empty where there are enough."""
        return few_cases(self.compared.positive, self.judged)

    @property
    def ill_per_1000(self) -> float:
        """How many of the 1,000 test records that missed cases are of are positive, or nan."""
        return 1000.0 * self.compared.positive

    @property
    def references(self) -> list[ReferenceLine]:
        """Lines on the main figure: losses are counted against the first, the last is a guess."""
        guess, value, shown = self.compared.guess, self.compared.value, self.quality.shown
        guessing = self.quality.words.guess
        if self.problem.classes == 2 and self.quality.column == "accuracy" and guess < 0.5:
            guessing = texts.MOST_FREQUENT_IN_TRAINING  # which another is on the test records
        is_some = self.splits < self.records.all_splits
        trees, linear, some = "", [], " so far" if is_some else ""
        if is_some or not self.is_compared:
            trees = " so far"
        elif self.compared.model != LINEAR:
            line = self.compared.linear[self.quality.column]
            trees = f" ({self.compared.model})"
            linear = [ReferenceLine(f"the same, {LINEAR}: {shown(line)}", line, width=0.75)]
        return [
            ReferenceLine(f"without privacy{trees}: {shown(value)}", value),
            *linear,
            ReferenceLine(f"{guessing}{some}: {shown(guess)}", guess, dash="dot"),
        ]


def gather(choice: ExploreChoice) -> View:
    """Compute or fetch what the page shows, with a spinner meanwhile.

    Refuses an invalid file, and settings that do not fit the records.
    """
    description = "every record of the file"
    if choice.upload is None:
        size = choice.study.records or entry(choice.study.dataset).records
        description = f"{size:,} records"
    with st.spinner(f"Reading {description} …", show_time=True):
        study, records = loaders.records_of(choice)
    split = records.first
    problem = problem_for(study, split)
    study = replace(study, epsilons=curve_jobs.grid(study, split))
    chosen = set(study.methods)
    compared_ones = [
        method
        for method in every_method(study.loss, split.entry)
        if method in chosen or method not in SELDOM_BEST
    ]
    whole = replace(study, methods=("nonprivate", *compared_ones), edition="sound")
    with st.spinner(f"Computing the curves from {split.records:,} records …", show_time=True):
        at_once = loaders.baselines(study)
        without_privacy = {records.at_once: at_once}
        left_out = _left_out(choice, at_once)
        references = ReferenceStudy.of(study)
        if is_compared := curve_jobs.is_done(references):
            on_all = at_once.reading(curve_jobs.results(references))
            without_privacy[records.all_splits] = on_all
        awaited = None if is_compared else references
        further = _on_every_split(whole, records)
        printed = _only(study, _printed(study))
        printed_further = _on_every_split(printed, records) if printed else []
        is_whole = is_compared and all(map(curve_jobs.is_done, further + printed_further))
        wanted = _wanted(choice, whole, published=records.published) - chosen
        first, others = _alone(_only(whole, chosen)), _alone(_only(whole, wanted))
        looked_at = "" if choice.ranks else control_text("focus")
        if not records.published:  # the headline waits for the method that the rule takes
            ruled = best_method(whole.loss, control_value(EPSILON.key) or EPSILON.default)
            first, others = sorted(first + others, key=lambda one: one.methods[0] != ruled), []
            looked_at = looked_at or ruled
        refined, jobs_refined = _from_jobs(further, awaited if further else None)
        shown, jobs_first = _from_jobs(first, looked_at=looked_at)
        compared_with, jobs_others = _from_jobs(others, None if further else awaited)
        closed = _closed_form(whole, records, left_out, is_whole=is_whole)
        everything = rows = _completed(closed, refined, shown, compared_with)
        as_printed: list[Study] = []
        printed_jobs: tuple[WatchedJobs, ...] = ()
        if printed:
            as_printed = printed_further + _alone(printed)
            printed_rows, printed_jobs = _from_jobs(as_printed, looked_at=looked_at)
            rest = everything[~everything["method"].isin(printed.methods)]
            closed = _closed_form(printed, records, left_out, is_whole=is_whole)
            rows = pd.concat([_completed(closed, printed_rows), rest])
        untrained = (*jobs_refined, *printed_jobs, *jobs_first, *jobs_others)
        every, before = [*further, *as_printed, *first, *others], 0
        if not records.published:
            untrained = (*printed_jobs, *jobs_first, *jobs_others, *jobs_refined)
            every, before = [*as_printed, *first, *others, *further], len(first)
    (everything, rows), compared = on_common_splits([everything, rows], without_privacy)
    # Only what ranks the methods counts them; elsewhere few are trained.
    count = _count(everything, whole) if choice.ranks and records.published else ""
    return View(
        study=study,
        whole=whole,
        records=records,
        problem=problem,
        delta=delta_for(study, split),
        table=_in_order(rows[rows["method"].isin(chosen)], study),
        everything=everything[everything["method"] != "nonprivate"],
        compared=compared.by(_measure(choice, records)),
        is_compared=is_compared,
        titles=titles(),
        untrained=untrained,
        training=curve_jobs.watched(every, awaited, before, count, looked_at)
        if untrained
        else None,
        dark=on_dark(),
    )


def _candidates(everything: pd.DataFrame) -> int:
    return int(everything.loc[everything["method"] != "nonprivate", "method"].nunique())


def _count(everything: pd.DataFrame, whole: Study) -> str:
    private = len(whole.methods) - 1
    return f"{_candidates(everything)} of {counted(private, 'method')} compared"


def _left_out(choice: ExploreChoice, compared: Baselines) -> tuple[str, ...]:
    if AREA.column not in compared.measured:
        return choice.left_out
    accuracy = compared.by(ACCURACY)
    if not ACCURACY.reaches(accuracy.guess, accuracy.value):
        return choice.left_out
    return tuple(name for name in choice.left_out if name != AREA.column)


def _wanted(choice: ExploreChoice, whole: Study, *, published: bool) -> set[str]:
    if choice.lists_all or (choice.ranks and published):
        return set(whole.methods)
    return set(without_best((BEST,), whole.loss, whole.epsilons)) if choice.ranks else set()


def _in_order(rows: pd.DataFrame, study: Study) -> pd.DataFrame:
    rank = {method: place for place, method in enumerate(study.methods)}
    return rows.sort_values(
        "method", key=lambda column: column.map(rank), kind="stable", ignore_index=True
    )


def _only(study: Study, methods: set[str]) -> Study | None:
    some = tuple(method for method in study.methods if method in methods)
    return replace(study, methods=some) if some else None


def _printed(study: Study) -> set[str]:
    if study.edition != Edition.PUBLISHED:
        return set()
    return {
        method for method in study.methods if Edition.PUBLISHED in predictor_named(method).editions
    }


def _closed_form(
    study: Study, records: PreparedRecords, left_out: tuple[str, ...], *, is_whole: bool
) -> pd.DataFrame:
    """The rows of the study's methods that need no training, on the splits of the first picture.

    None once all that is compared is judged on every split, where these are more.
    """
    closed = tuple(method for method in study.methods if predictor_named(method).closed_form)
    if not closed or (is_whole and records.at_once < records.all_splits):
        return pd.DataFrame({"method": []})
    return loaders.closed_form(replace(study, methods=closed, runs=Study.runs), records, left_out)


def _on_every_split(study: Study, records: PreparedRecords) -> list[Study]:
    """The jobs of its methods without training, where a first picture is judged on some splits."""
    if records.at_once == records.all_splits:
        return []
    return [
        curve_jobs.trained_study(replace(study, runs=Study.runs), method)
        for method in study.methods
        if predictor_named(method).closed_form
    ]


def _alone(study: Study | None) -> list[Study]:
    return [
        curve_jobs.trained_study(one, method)
        for one in (study,)
        if one is not None
        for method in sooner_first(one.methods)
        if not predictor_named(method).closed_form
    ]


def _from_jobs(
    studies: list[Study], references: ReferenceStudy | None = None, looked_at: str = ""
) -> tuple[pd.DataFrame, tuple[WatchedJobs, ...]]:
    """The rows that these jobs have left, and those that are still to be done.

    The job of the models without privacy comes with them where `references` names it.
    """
    jobs: tuple[WatchedJobs, ...] = ()
    if studies or references is not None:
        # Before the rows: a job that ends in between then has the page drawn anew.
        watched = curve_jobs.watched(studies, references, looked_at=looked_at)
        jobs = () if watched.drawn == "done" else (watched,)
    parts = [curve_jobs.results(one) for one in studies if curve_jobs.is_done(one)]
    rows = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"method": []})
    return rows, jobs


def _completed(at_once: pd.DataFrame, *others: pd.DataFrame) -> pd.DataFrame:
    parts = [at_once, pd.concat(others, ignore_index=True)]
    filled = [part for part in parts if len(part)] or parts
    return pd.concat(filled, ignore_index=True)


def _measure(choice: ExploreChoice, records: PreparedRecords) -> Metric:
    """The chosen measure, or the default if the records of a split do not allow it."""
    offered = [scoring_for(split).measures(split) for split in records.splits]
    fewest = min(offered, key=len)
    return next((metric for metric in fewest if metric.column == choice.measure), fewest[0])


# The same object each time: a copy may order its fields differently, and the browser would then
# treat it as another figure and lose the zoom.
@st.cache_resource(max_entries=400, show_spinner=False)
def _once(key: str, _make: Callable[[], Any]) -> Any:
    return _make()


def once(view: View, key: str, make: Callable[[], Value]) -> Value:
    """Compute a value once from rows of the view, or of finished jobs.

    `key` names all that it depends on, with the background's colour for a figure; a finished job is
    named by its study's key, the view's own rows by `View.contents`.
    """
    value: Value = uploads.cached_in_session(key, make) if view.study.upload else _once(key, make)
    return value


def _objective(view: View, epsilon: float) -> Drawn:
    # By rule the features change with ε, and with them λ and the smallest value.
    row = at(view.table, epsilon)
    smallest = float(row["objective"] - row["excess_risk"])
    where = f" at ε = {plain(row['epsilon'])}" if view.split.maps else ""
    minimum = ReferenceLine(f"smallest value{where}: {plain(smallest)}", smallest)
    return tradeoff.objective(
        view.table, [minimum], titles=view.titles, epsilon=epsilon, dark=view.dark
    )


def noise_figures(view: View, epsilon: float) -> list[Drawn]:
    """σ against ε, a figure for each thing that noise is added to."""
    key = f"sigma {view.contents} {epsilon} {view.dark}"
    return once(view, key, lambda: _sigma(view, epsilon))


def _sigma(view: View, epsilon: float) -> list[Drawn]:
    """Compute σ over more ε than the curves have, as calibrating trains nothing."""
    rows = loaders.noise(view.study, view.split, WIDE_EPSILONS)
    return noise.sigma(
        rows, titles=view.titles, queries=view.queries, epsilon=epsilon, dark=view.dark
    )


_FIGURES: dict[str, Callable[[View, float], Drawn]] = {
    "objective": _objective,
    "excess": lambda view, epsilon: tradeoff.excess_risk(
        view.table, titles=view.titles, epsilon=epsilon, dark=view.dark
    ),
}


def figure(kind: str, view: View, epsilon: float) -> Drawn:
    """A figure over the whole ε grid, with its sentence about the chosen ε."""
    key = f"{kind} {view.contents} {epsilon} {view.dark}"
    return once(view, key, lambda: _FIGURES[kind](view, epsilon))
