"""One model at one ε: what is said of it wherever it is chosen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from dpcore.guarantee import Adjacency, PrivacyBudget, Status

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ModelAtEpsilon:
    """A private model at one ε, read from a row of any table about models."""

    method: str
    edition: str
    epsilon: float
    delta: float
    adjacency: str
    status: str
    runs: int
    splits: int = 1
    accountant: str = ""
    reason: str = ""  # why nothing is proved
    source: str = ""  # how its measures came about
    certified_epsilon: float = math.nan
    noise_advantage: float = math.nan  # what the noise that is drawn allows an attacker
    gaussian_mu: float = math.nan
    training_epsilon: float = math.nan  # of a model whose risks are corrected within ε

    @classmethod
    def of(cls, row: Mapping[Any, Any] | pd.Series[Any]) -> ModelAtEpsilon:
        """Read it from a row."""
        known = {each.name: row[each.name] for each in fields(cls) if each.name in row}
        given = {name: cell for name, cell in known.items() if cell is not None}
        return cls(**given | {name: int(given.get(name, 1)) for name in ("runs", "splits")})

    @property
    def is_proved(self) -> bool:
        """Whether its ε is."""
        return self.status == str(Status.PROVED)

    @property
    def is_corrected(self) -> bool:
        """Whether its risks are."""
        return not math.isnan(self.training_epsilon)

    @property
    def bound(self) -> tuple[PrivacyBudget | None, float | None]:
        """The proved (ε, δ), else the certified one, else ``None``; what the noise allows."""
        epsilon = self.epsilon if self.is_proved else self.certified_epsilon
        if not epsilon < float("inf"):
            return None, None
        noise = None if math.isnan(self.noise_advantage) else self.noise_advantage
        return PrivacyBudget(max(float(epsilon), 1e-12), self.delta), noise

    @property
    def neighbours(self) -> Adjacency:
        """The adjacency of its guarantee."""
        return Adjacency(self.adjacency)
