"""What private twins and private tables share: one noisy measurement, its plan, and its card."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import Any

import numpy as np
import scipy

from dpcore.errors import one_of, reject, whole
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.mechanisms.whole_gaussian import ADJACENCIES, MAX_SIGMA, UNITS, WholeGaussian
from dpcore.release.attack import DistinguishingResult
from dpcore.release.certificate import NOISE, ONE_PERSON, ONE_ROW, Certificate, Record, above_zero
from dpcore.release.ledger import GaussianSpend
from dpcore.release.mechanism import PROFILE
from dpcore.words import at_most, spaced


@dataclass(frozen=True)
class Measurement(WholeGaussian):
    """A measurement whose fields, all public and whole but the adjacency, stand in its card."""

    def __post_init__(self) -> None:
        one_of("adjacency", self.adjacency, ADJACENCIES)
        for field in fields(self):
            value: object = getattr(self, field.name)
            # A text times a number is a long text.
            if field.name != "adjacency" and type(value) is not int:
                raise reject(field.name, value, "a whole number")
        whole("sigma", self.sigma, at_least=1, at_most=MAX_SIGMA)

    @property
    def spend(self) -> GaussianSpend:
        """What the ledger is to be paid."""
        return GaussianSpend(self.noise_multiplier)

    def to_json(self) -> dict[str, Any]:
        """The values that all else follows from."""
        return {**asdict(self), "adjacency": str(self.adjacency)}


def check_units(units: int) -> None:
    """Refuse units of a record's count that are not the program's."""
    if units != UNITS:
        raise reject("units", units, f"{spaced(UNITS)}, the only ones so far")


@dataclass(frozen=True)
class MeasurementPlan:
    """What is measured, before any record is looked at but for their number."""

    columns: str
    records: int  # n, of the table or of its persons
    budget: PrivacyBudget
    mechanism: Measurement

    @property
    def adjacency(self) -> str:
        """What counts as one person's data."""
        return self.mechanism.adjacency

    @property
    def spend(self) -> GaussianSpend:
        """What the ledger is to be paid."""
        return self.mechanism.spend

    def facts(
        self, hashes: Mapping[str, str], ledger: Mapping[str, Any], attack: DistinguishingResult
    ) -> dict[str, Any]:
        """What a card of it follows from."""
        return {
            "released": datetime.now(UTC).date().isoformat(),
            "budget": asdict(self.budget),
            "mechanism": self.mechanism.to_json(),
            "records": self.records,
            "hashes": hashes,
            "ledger": ledger,
            **one_row_of(Record.of(self.columns)).facts(),
            "attack": asdict(attack),
        }


def one_row_of(record: Record) -> Record:
    """What one record of a table is where one row of each person counts."""
    return Record(None if record.rows is None else 1)


THEOREMS = (
    "rounding whole sums with noise is post-processing of Gaussian noise (docs/release.md)",
    "adaptive composition of Gaussian DP (Dong, Roth and Su 2022, Corollary 2)",
    "exact privacy profile of the Gaussian mechanism (Balle and Wang 2018, Theorem 8)",
)
ONE_ROW_BY_LOTS = (
    "one row of each person counts, chosen by that person's lots alone (dpcore/datasets/persons.py)"
)


@dataclass(frozen=True)
class CardKind:
    """What the cards of one kind of release say in words of their own."""

    format: str
    what: str  # is released: a noun
    mechanism: Callable[..., Measurement]
    measured: Callable[[Any], str]  # of the mechanism
    theorem: str  # what one record adds
    follows: str
    tells: Callable[[Record], str]  # how n is told by what is released

    def card(self, facts: Mapping[str, Any]) -> Certificate:
        """The card of these facts, with all that follows from them, and its hash."""
        import dpcore

        versions = {
            "dpcore": dpcore.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        }
        known = {**facts, "versions": versions}
        document = {"format": self.format, "facts": known, **self.derived(known)}
        return Certificate({**document, "hash": Certificate(document).hash})

    def measured_in(self, facts: Mapping[str, Any]) -> Measurement:
        """The mechanism of a card's facts."""
        return self.mechanism(**facts["mechanism"])

    def derived(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """What follows from facts without data: claim and proof."""
        mechanism, budget = self.measured_in(facts), facts["budget"]
        adjacency = Adjacency(mechanism.adjacency)
        epsilon = above_zero(mechanism.epsilon(budget["delta"]), budget["delta"])
        record = Record.in_facts(facts)
        if record != one_row_of(record):
            raise reject("rows of a person", record.rows, "1: one row of each counts")
        being, by = facts["ledger"]["person_unit"], [self.theorem, *THEOREMS]
        if record.rows is not None:
            being, by = f"{being}, of whom one row counts, chosen by lots", [ONE_ROW_BY_LOTS, *by]
        return {
            "claim": (
                f"The {self.what} is ({at_most(budget['epsilon'], 6)}, "
                f"{at_most(budget['delta'], 6)})-differentially private: {adjacency.difference}, "
                f"a record being {being}."
            ),
            "follows": self.follows,
            "proof": {
                "epsilon": epsilon,
                "delta": budget["delta"],
                "adjacency": str(adjacency),
                "neighbours": record.neighbours(adjacency),
                "mu": mechanism.mu,
                "profile": [{"epsilon": each, "delta": mechanism.delta(each)} for each in PROFILE],
                "measured": self.measured(mechanism),
                "squared_sensitivity": mechanism.squared_sensitivity,
                "noise_multiplier": mechanism.noise_multiplier,
                "noise": NOISE,
                "accountant": "Gaussian DP, exact",
                "by": by,
                "keeps_the_budget": bool(epsilon <= budget["epsilon"]),
            },
            "unprotected": [
                "the description of the columns: names, ranges, lists",
                f"the number of {record.noun} n, which the {self.what} {self.tells(record)}",
                "the time and memory that it took, and its date",
                "which data set it was, and who had it made",
                ONE_ROW if record.rows is None else ONE_PERSON[0],
                f"what was measured on the records apart from this {self.what}",
            ],
        }
