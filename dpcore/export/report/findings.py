"""What a report is written from: a study, one model of it, and the tables there are."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dpcore.datasets import OWN, Entry, Split
from dpcore.datasets.preparation import used_columns
from dpcore.datasets.schema import Column
from dpcore.erm.method import Calibration, Method
from dpcore.evaluation.baselines import Baselines
from dpcore.evaluation.clinic.rows import REFERENCE
from dpcore.evaluation.study import Study
from dpcore.figures.cost import Cost
from dpcore.figures.quality import Quality
from dpcore.methods import method_named

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
    def corrected(self) -> pd.Series | None:
        """A row of the model whose risks are corrected, where those are judged."""
        for table in (self.decisions, self.reliability, self.groups):
            if table is not None:
                row = self.of_model(table).iloc[0]
                return None if math.isnan(row["training_epsilon"]) else row
        return None

    def of_model(self, table: pd.DataFrame) -> pd.DataFrame:
        """The rows of a clinic's table that are about the model."""
        own = (table["method"] == self.calibration.method) & (table["epsilon"] == self.epsilon)
        return table[own]


def without_privacy(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a clinic's table that are about the model without privacy."""
    return table[table["method"] == REFERENCE]
