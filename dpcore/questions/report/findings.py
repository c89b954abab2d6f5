"""What a report is written from: a study, one model of it, and the tables there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dpcore.datasets import OWN, Entry, Split, Table, load
from dpcore.datasets.preparation import used_columns
from dpcore.datasets.schema import Column
from dpcore.erm.method import Calibration, Method
from dpcore.erm.methods import BEST, best_method, method_named
from dpcore.errors import InvalidInput, brief, number
from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.evaluation.baselines import Baselines, baselines, usual
from dpcore.evaluation.clinic.risks import REFERENCE, judged_models, why_uncorrected
from dpcore.evaluation.curves import against, all_curves
from dpcore.evaluation.splits import calibrations_on, features_at, judged, splits
from dpcore.evaluation.study import RiskModels, Study, check_two_classes, gives_risks
from dpcore.figures.quality import Quality
from dpcore.progress import Progress, section, silent, stoppable
from dpcore.questions.calibration.question import CalibrationQuestion, calibration_rows
from dpcore.questions.cost.two_parts import Cost
from dpcore.questions.decision_curve.question import DecisionCurveQuestion, decision_rows
from dpcore.questions.groups.question import GroupsQuestion, group_rows

if TYPE_CHECKING:
    import pandas as pd

BY_HAND = "by hand; whether after a look at these records is for the author to say"
BY_RULE = "by a fixed rule in the loss and ε, without a look at the records"


@dataclass(frozen=True, eq=False)
class Findings:
    """One private model of a study, and what is known of it."""

    study: Study
    calibration: Calibration
    split: Split  # the first, prepared; of an upload a stand-in without records
    features: str
    line: pd.DataFrame  # rows of its method at each ε of the study
    compared: Baselines  # without privacy, and the guess
    judged: int  # about how many different records test the models, on `splits`
    splits: int
    published: bool
    chosen: str  # how the method was chosen: words that end a sentence
    positive_per_1000: float  # of test records; nan without two classes
    decisions: pd.DataFrame | None = None
    reliability: pd.DataFrame | None = None
    groups: pd.DataFrame | None = None
    threshold: float = 0.5  # the risk from which on one acts

    @property
    def entry(self) -> Entry:
        """The data set; one's own table in words for others than its owner."""
        entry = self.split.entry
        if entry.key != OWN:
            return entry
        return replace(
            entry,
            title="A table of the author’s own",
            source="the author’s own file",
            licence="not known to the program",
            task=f"Predict {entry.label.name}.",
        )

    @property
    def epsilon(self) -> float:
        return self.calibration.requested.epsilon

    @property
    def method(self) -> Method:
        return method_named(self.calibration.method)

    @property
    def row(self) -> pd.Series:
        return self.line[self.line["epsilon"] == self.epsilon].iloc[0]

    @property
    def quality(self) -> Quality:
        """The measure that models are compared by, with its words."""
        return Quality(self.compared.measure)

    @property
    def cost(self) -> Cost:
        """What privacy costs of that measure."""
        row = self.row
        return Cost.of(row, float(row[f"{self.quality.column}_baseline"]), self.quality)

    @property
    def site(self) -> str:
        """The site whose records are tested on; "" where they are drawn from all."""
        return self.study.preparation.held_out

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that the model learns from."""
        return used_columns(self.entry, self.study.preparation)

    @property
    def may_be_unknown(self) -> bool:
        """Whether the description of the data knows unknown values."""
        return any(one.missing_marks for one in self.columns)

    @property
    def drops(self) -> bool:
        """Whether records with an unknown value are left out."""
        return self.may_be_unknown and self.study.preparation.missing == "drop"

    @property
    def total(self) -> int:
        """Number of records, but for those left out and further ones, only judged on."""
        return self.split.records + (0 if self.split.further else self.split.tested)

    @property
    def corrected(self) -> ModelAtEpsilon | None:
        """The model whose risks are corrected, where those are judged."""
        for table in (self.decisions, self.reliability, self.groups):
            if table is not None:
                model = ModelAtEpsilon.of(self.of_model(table).iloc[0])
                return model if model.is_corrected else None
        return None

    def of_model(self, table: pd.DataFrame) -> pd.DataFrame:
        """The rows of a clinic's table that are about the model."""
        own = (table["method"] == self.calibration.method) & (table["epsilon"] == self.epsilon)
        return table[own]


def without_privacy(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a clinic's table that are about the model without privacy."""
    return table[table["method"] == REFERENCE]


def gathered(
    study: Study,
    epsilon: float,
    method: str = BEST,
    *,
    threshold: float | None = None,
    by: str | None = None,
    corrected: bool = False,
    records: Table | None = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> Findings:
    """Train and judge one method of a study, "best" for what the rule takes at this ε."""
    total = number("epsilon", epsilon, at_least=1e-12, at_most=1e3)
    chosen = best_method(study.loss, total) if method == BEST else method
    if chosen == "nonprivate":
        raise InvalidInput(f"method is {brief(method)}, but it must be a private one.")
    if not gives_risks(chosen):
        raise InvalidInput(
            f"method is {brief(method)}, but it must be one that fits a linear model: a report "
            "describes no other."
        )
    study = replace(study, methods=(chosen,), epsilons=tuple(sorted({*study.epsilons, total})))
    alone = replace(study, epsilons=(total,))
    level = 0.5 if threshold is None else threshold
    judging = None
    if threshold is not None or by is not None:
        judging = RiskModels(alone, corrected)
    elif corrected:
        raise InvalidInput(
            "corrected is True, but it must be left out where no threshold and no groups are named."
        )
    report = stoppable(progress, cancelled)
    if records is None:
        report(0.0, "loading the data")
        records = load(study.dataset, records=study.records)
    if judging is not None:
        check_two_classes(records.entry)
    parts = splits(records, study.preparation)
    if corrected and (refused := why_uncorrected(alone, parts[0])):
        raise InvalidInput(refused)  # before anything is trained
    share = 1.0 if judging is None else 0.5
    rows = all_curves(study, parts, section(report, 0.0, 0.6 * share), cancelled)
    untuned = splits(records, usual(study.preparation))
    without = baselines(untuned, records, section(report, 0.6 * share, 0.4 * share))
    first = parts[0]
    findings = Findings(
        study=study,
        calibration=calibrations_on(alone, first)[chosen][0],
        split=first,
        features=features_at(study, first, chosen, total),
        line=against(rows, without),
        compared=without,
        judged=judged(parts),
        splits=len(parts),
        published=records.published,
        chosen=BY_RULE if method == BEST else BY_HAND,
        positive_per_1000=1000.0 * without.positive,
        threshold=level,
    )
    if judging is not None:
        models = judged_models(judging, records, section(report, share, 0.5))
        if threshold is not None:
            deciding = DecisionCurveQuestion(alone, corrected, (level,))
            findings = replace(
                findings,
                decisions=decision_rows(deciding, models),
                reliability=calibration_rows(CalibrationQuestion(alone, corrected), models),
            )
        if by is not None:
            comparing = GroupsQuestion(alone, corrected, by, level)
            findings = replace(findings, groups=group_rows(comparing, records, models))
    report(1.0, "done")
    return findings
