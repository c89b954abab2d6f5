"""Which table is summarised, with which noise: a pure description, without data."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcore.datasets import OWN, Entry, described, entry
from dpcore.errors import InvalidInput, number, one_of, whole
from dpcore.guarantee import SMALLEST_DELTA, PrivacyBudget, default_delta
from dpcore.mechanisms.whole_gaussian import ADJACENCIES
from dpcore.summaries.mechanism import SummaryMechanism, SummaryQuery, mechanism_for

EPSILONS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)
MAX_EPSILONS = 50


@dataclass(frozen=True)
class TableStudy:
    """A table to summarise, at several ε.

    Parameters
    ----------
    dataset : str
        Key of a catalogue entry, or ``own`` for the user's own table.
    records : int, optional
        Size of the synthetic cohort; of the user's own table its number of records, blank ones
        included, which is public.
    epsilons : tuple of float
        ε of one release of all that is measured, each from 0.001 to 20.
    delta : float, optional
        δ; ``None`` for the rule in the number of records.
    adjacency : str
        "zero-out" or "replace-one".
    seed : int
        Seed of the noise: for exploration only.
    upload : str
        Digest of the file when the records were uploaded; "" otherwise.
    columns : str
        Allowed values of the user's own table's columns (`dpcore.datasets.own.description`).

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """

    dataset: str = "cohort"
    records: int | None = None
    epsilons: tuple[float, ...] = EPSILONS
    delta: float | None = None
    adjacency: str = "zero-out"
    seed: int = 0
    upload: str = ""
    columns: str = ""

    def __post_init__(self) -> None:
        one_of("adjacency", self.adjacency, tuple(map(str, ADJACENCIES)))
        if not 1 <= len(self.epsilons) <= MAX_EPSILONS:
            raise InvalidInput(
                f"epsilon has {len(self.epsilons)} values, but must have 1 to {MAX_EPSILONS}."
            )
        if self.dataset != OWN and self.columns:
            raise InvalidInput(f"columns are described, but only {OWN} takes a description.")
        epsilons = {number("epsilon", each, at_least=1e-3, at_most=20.0) for each in self.epsilons}
        delta = default_delta(max(self.entry.records, 1)) if self.delta is None else self.delta
        checked = {
            "epsilons": tuple(sorted(epsilons)),
            "delta": number("delta", delta, at_least=SMALLEST_DELTA, at_most=0.5),
            "seed": whole("seed", self.seed, at_least=0, at_most=2**32 - 1),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def entry(self) -> Entry:
        """The public facts about the records."""
        public = described(self.columns) if self.dataset == OWN else entry(self.dataset)
        return public if self.records is None else replace(public, records=self.records)

    @property
    def title(self) -> str:
        """The table's name."""
        return self.entry.title

    def mechanism(self, measured: SummaryQuery, epsilon: float) -> SummaryMechanism:
        """The mechanism with the least noise that keeps ε and the study's δ."""
        assert self.delta is not None  # set by __post_init__
        return mechanism_for(PrivacyBudget(epsilon, self.delta), measured, self.adjacency)
