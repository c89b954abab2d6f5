"""Gather all that Explore shows except what changes with ε, once a run, mostly from caches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from dpcore.controls.explore import AXIS, BEST, WIDE_EPSILONS
from dpcore.datasets import Split, entry
from dpcore.erm.method import Calibration
from dpcore.erm.methods import sooner_first
from dpcore.erm.problem import Problem
from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.evaluation.baselines import LINEAR, Baselines
from dpcore.evaluation.clinic.counts import TreatedCounts, joined
from dpcore.evaluation.curves import against
from dpcore.evaluation.scoring import Metric, scoring_for
from dpcore.evaluation.scoring.metrics import accuracy_interval
from dpcore.evaluation.study import Study, delta_for, problem_for, study_of
from dpcore.figures.curves import ReferenceLine, at, named
from dpcore.figures.drawn import Drawn
from dpcore.figures.quality import Quality
from dpcore.guarantee import Edition, Status
from dpcore.predictors import SELDOM_BEST, predictor_named, titles
from dpcore.questions.best_method.figure import best_rows
from dpcore.questions.cost import noise
from dpcore.questions.cost.chosen import Cases
from dpcore.questions.cost.decision import Decision
from dpcore.questions.cost.figure import Series
from dpcore.questions.cost.question import CostQuestion, ReferenceQuestion
from dpcore.questions.cost.two_parts import Cost
from dpcore.questions.cost.words import few_cases, few_records
from dpcore.words import counted, place_below, spaced
from pages.explore import curve_jobs, loaders
from pages.explore.controls import ExploreChoice, every_method
from pages.explore.loaders import PreparedRecords
from pages.shared import uploads
from pages.shared.display import on_dark
from pages.shared.work import WatchedJobs

MOST_FREQUENT_IN_TRAINING = "the most frequent answer in training"
Value = TypeVar("Value")


@dataclass(frozen=True)
class Pending:
    """What is known before the first answer is there."""

    study: Study
    records: PreparedRecords
    problem: Problem
    delta: float
    first: WatchedJobs


@dataclass(frozen=True)
class View:
    """Hold all that the page shows except ε."""

    study: Study  # what the reader chose
    whole: Study  # the same with every method in its sound edition
    records: PreparedRecords
    problem: Problem
    delta: float
    focus: str  # the method of the first answer, or `BEST` for those of the rule
    decision: Decision  # the first answer, at the threshold
    table: pd.DataFrame  # rows of the chosen methods, and without noise
    everything: pd.DataFrame  # rows of every method whose curve is at hand
    compared: Baselines  # on the same splits
    titles: dict[str, str]
    others: WatchedJobs | None  # of the methods that are still to come
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
    def threshold(self) -> float:
        """Risk from which on one acts."""
        return self.decision.threshold

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
        first = self.table[~self.table["method"].isin([*sound["method"], "nonprivate"])]
        first = first[first["edition"] == Edition.SOUND]
        rows = _in_order(_with(still, _with(sound, first)), self.whole)
        return [part for part in (rows, own) if len(part)]

    @cached_property
    def contents(self) -> str:
        """Name all that can be drawn of it: settings, and the rows at hand."""
        judged = ["method", "edition"]
        at_hand = [
            rows[judged].drop_duplicates().to_numpy().tolist()
            for rows in (self.table, self.everything)
        ]
        about = f"{self.focus} {self.quality.column} {self.threshold}"
        return f"{self.study.key} {self.whole.key} {about} {at_hand}"

    @cached_property
    def best(self) -> pd.DataFrame:
        """The rows of the best proved method at each ε, which looks at all that is measured."""
        return best_rows(self.everything, self.compared.measure)

    @property
    def line(self) -> pd.DataFrame:
        """The rows of the first answer, by ascending ε."""
        return self.decision.rows

    @cached_property
    def corrected_line(self) -> pd.DataFrame:
        """Those of them whose risks can be corrected within the same ε."""
        possible = [
            method
            for method in self.line["method"].unique()
            if not loaders.uncorrectable(self.whole, self.split, method)
        ]
        return self.line[self.line["method"].isin(possible)]

    def model(self, epsilon: float) -> ModelAtEpsilon:
        """The model of the first answer for the chosen ε (`figures.curves.at`)."""
        return ModelAtEpsilon.of(at(self.line, epsilon))

    @property
    def candidates(self) -> int:
        """Number of methods whose curves are at hand."""
        return _candidates(self.everything)

    @property
    def count(self) -> str:
        """How many methods are compared so far, of how many; the same words at every place."""
        return f"{self.candidates} of {counted(len(self.whole.methods) - 1, 'method')} compared"

    def cost(self, row: pd.Series) -> Cost:
        """What privacy costs at a row, against the model without privacy on the same splits."""
        baseline = float(row[f"{self.quality.column}_baseline"])
        return Cost.of(row, baseline, self.quality)

    @property
    def series(self) -> list[Series]:
        """The first answer's method and the chosen ones: name, key and rows."""
        shown = self.with_method(self.line["method"].iloc[0])
        return [
            (title, method, each)
            for title, method, _, each in named(shown.table, "sigma", self.titles)
        ]

    def _beside(self, study: Study, method: str, rows: pd.DataFrame) -> Decision | None:
        """What a method's rows say at the threshold.

        None of what gives no risks: it is decided on at its own threshold, and cannot stand beside
        others'.
        """
        counts = curve_jobs.counts(CostQuestion(study_of(study, method)))
        decision = replace(self.decision, rows=rows.reset_index(drop=True), counts=counts)
        return decision if decision.is_counted or not self.decision.is_counted else None

    @cached_property
    def thin(self) -> list[tuple[str, Decision]]:
        """The other chosen methods whose curves are at hand, by name."""
        lines = []
        for title, method, edition, rows in named(self.table, self.quality.column, self.titles):
            is_first = method == self.focus or (
                self.focus == BEST and method == self.line["method"].iloc[0]
            )
            if is_first and edition == self.line["edition"].iloc[0]:
                continue
            study = self.study if edition == Edition.PUBLISHED else self.whole
            decision = self._beside(study, method, rows)
            if decision is not None:
                lines.append((title, decision))
        return lines

    def better_at(self, epsilon: float) -> tuple[str, float, float] | None:
        """The method that does best at an ε, if its lead is sure: its title, the lead and its ±."""
        place = place_below(self.decision.epsilons.tolist(), epsilon)
        leads = []
        for title, method, _, rows in named(self.everything, self.quality.column, self.titles):
            own = rows[(rows["epsilon"] == epsilon) & (rows["status"] == str(Status.PROVED))]
            if own.empty:
                continue
            other = self._beside(self.whole, method, rows)
            if other is not None:
                leads.append((*self.decision.lead_of(other, place), title))
        if not leads:
            return None
        lead, half, title = max(leads)
        return (title, lead, half) if lead > max(half, self.quality.still) else None

    def with_method(self, method: str) -> View:
        """The view with a method, which stands before the chosen ones if it is none of them.

        While its own curve is to come there are the rows of the first answer.
        """
        if method in set(self.table["method"]):
            return self
        study = self.study
        if method not in study.methods:
            still, *chosen = study.methods
            study = replace(study, methods=(still, method, *chosen))
        own = self.everything[self.everything["method"] == method]
        own = own if len(own) else self.line[self.line["method"] == method]
        return replace(self, study=study, table=_in_order(_with(self.table, own), study))

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
        """What each chosen method adds noise to, in words; the same at every ε."""
        epsilon = self.study.epsilons[-1]
        return {
            calibration.method: calibration.query for calibration in self.calibrations_at(epsilon)
        }

    def cases_at(self, epsilon: float) -> tuple[pd.DataFrame, Cases]:
        """A row a method with its cases at the threshold, and those of the model without privacy.

        What gives no risks is decided on at its own threshold.
        """
        if self.decision.outcomes is None:
            measured = self.compared.measured
            cases = Cases("no privacy", measured["missed_per_1000"], measured["false_per_1000"])
            return self.with_method(self.model(epsilon).method).rows_at(epsilon), cases
        rows = []
        for each in (self.decision, *(other for _, other in self.thin)):
            row = at(each.rows, epsilon).copy()
            if each.outcomes is not None:
                place = place_below(each.epsilons.tolist(), float(row["epsilon"]))
                counts = {
                    "missed_per_1000": each.missed[place],
                    "false_per_1000": each.false[place],
                }
                rows.append({**row, **counts})
        return pd.DataFrame(rows), Cases("no privacy", *self.decision.baseline_cases)

    @property
    def quality(self) -> Quality:
        """The measure that models are compared by, with its words."""
        return Quality(self.compared.measure)

    @property
    def judged(self) -> int:
        """About how many different records the splits test."""
        return self.records.judged

    @property
    def rough(self) -> str:
        """One sentence on how rough a small test set is; empty for a large one."""
        value, between = self.decision.baseline, self.compared.between
        if self.decision.is_counted:
            between = accuracy_interval(value, self.judged)
        return few_records(value, between, self.judged, self.quality)

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
        """Lines beside methods: losses are counted against the first, the last is a guess."""
        guess, value, shown = self.compared.guess, self.compared.value, self.quality.shown
        guessing = self.quality.words.guess
        if self.problem.classes == 2 and self.quality.column == "accuracy" and guess < 0.5:
            guessing = MOST_FREQUENT_IN_TRAINING  # which another is on the test records
        trees, linear = "", []
        if self.compared.model != LINEAR:
            line = self.compared.linear[self.quality.column]
            trees = f" ({self.compared.model})"
            linear = [ReferenceLine(f"the same, {LINEAR}: {shown(line)}", line, width=0.75)]
        return [
            ReferenceLine(f"without privacy{trees}: {shown(value)}", value),
            *linear,
            ReferenceLine(f"{guessing}: {shown(guess)}", guess, dash="dot"),
        ]


def gather(choice: ExploreChoice) -> View | Pending:
    """Fetch what the page shows, with a spinner while records are read.

    Refuses an invalid file, and settings that do not fit the records.
    """
    description = "every record of the file"
    if choice.upload is None:
        size = choice.study.records or entry(choice.study.dataset).records
        description = f"{spaced(size)} records"
    with st.spinner(f"Reading {description} …", show_time=True):
        study, records = loaders.records_of(choice)
    split = records.first
    problem, delta = problem_for(study, split), delta_for(study, split)
    study = replace(study, epsilons=curve_jobs.grid(study, split, choice.axis))
    headline = curve_jobs.headline(study, choice.focus)
    references = ReferenceQuestion(study)
    first = curve_jobs.first_answer(headline, references)
    if first.drawn != "done":
        return Pending(study, records, problem, delta, first)
    chosen = set(study.methods)
    methods = [
        method
        for method in every_method(study.loss, split.entry)
        if method in chosen or method not in SELDOM_BEST
    ]
    whole = replace(study, methods=("nonprivate", *methods), edition="sound")
    reference = curve_jobs.counts(references)
    measure = _measure(choice, split)
    compared = Baselines.read(curve_jobs.results(references), measure)
    printed = _only(study, _printed(study))
    is_whole = choice.focus == BEST and records.published and choice.axis == AXIS.default
    is_ranked = choice.lists_all or is_whole
    others = set(methods) - chosen if is_ranked else set()
    sound = _questions(_only(whole, chosen)) + _questions(_only(whole, others))
    as_printed = _questions(printed)
    coming = [each for each in (*as_printed, *sound) if not curve_jobs.is_done(each)]
    at_hand = sum(map(curve_jobs.is_done, sound))
    count = f"{at_hand} of {counted(len(sound), 'method')} there"
    threshold = choice.threshold if split.entry.predicts == "class" else 0.5
    decision = _decision(headline, compared, reference, threshold)
    everything, own = (_rows(each, decision) for each in (sound, as_printed))
    rest = everything[~everything["method"].isin(printed.methods if printed else ())]
    return View(
        study=study,
        whole=whole,
        records=records,
        problem=problem,
        delta=delta,
        focus=choice.focus,
        decision=decision,
        table=_in_order(_with(own, rest[rest["method"].isin(chosen)]), study),
        everything=everything[everything["method"] != "nonprivate"],
        compared=compared,
        titles=titles(),
        others=curve_jobs.watched(coming, count) if coming else None,
        dark=on_dark(),
    )


def _decision(
    headline: list[CostQuestion],
    compared: Baselines,
    reference: TreatedCounts | None,
    threshold: float,
) -> Decision:
    """The first answer: each question's rows at the ε at which the rule takes its method."""
    tables, parts = [], []
    taken: set[float] = set()
    for question in sorted(headline, key=lambda one: len(one.study.epsilons)):
        epsilons = [each for each in question.study.epsilons if each not in taken]
        taken.update(epsilons)
        rows = curve_jobs.results(question)
        tables.append(rows[rows["epsilon"].isin(epsilons)])
        parts.append((curve_jobs.counts(question), epsilons))
    rows = pd.concat(tables).sort_values("epsilon", ignore_index=True)
    counts = [(each, epsilons) for each, epsilons in parts if each is not None]
    return Decision(
        rows=against(rows, compared),
        counts=joined(counts) if len(counts) == len(parts) else None,
        compared=compared,
        reference=reference,
        threshold=threshold,
    )


def _candidates(everything: pd.DataFrame) -> int:
    return int(everything.loc[everything["method"] != "nonprivate", "method"].nunique())


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


def _questions(study: Study | None) -> list[CostQuestion]:
    """The question of each method alone, the sooner ones first."""
    return [
        CostQuestion(study_of(one, method))
        for one in (study,)
        if one is not None
        for method in sooner_first(one.methods)
    ]


def _rows(questions: list[CostQuestion], decision: Decision) -> pd.DataFrame:
    """The rows of those that are answered, beside the model without privacy."""
    parts = [curve_jobs.results(one) for one in questions if curve_jobs.is_done(one)]
    if not parts:
        return decision.rows[:0]
    return against(pd.concat(parts, ignore_index=True), decision.compared)


def _with(rows: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    filled = [each for each in (rows, others) if len(each)]
    return pd.concat(filled, ignore_index=True) if filled else rows


def _measure(choice: ExploreChoice, split: Split) -> Metric:
    """The chosen measure, or the default if the records do not allow it."""
    offered = scoring_for(split).measures(split)
    return next((metric for metric in offered if metric.column == choice.measure), offered[0])


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
