"""One model at one ε, as it is told of wherever it is chosen, and the ε that a value takes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from dpcore.accounting.risk_target import RiskTarget
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

    def keeps(self, risk: RiskTarget) -> bool:
        """Whether the risk is kept, by the noise where its law is known."""
        budget, noise = self.bound
        mu = self.gaussian_mu if self.is_gaussian else None
        return budget is not None and risk.allowed(budget, noise, mu) <= risk.gain

    @property
    def is_gaussian(self) -> bool:
        """Whether its noise is Gaussian, without sampling."""
        return not math.isnan(self.gaussian_mu)

    @property
    def neighbours(self) -> Adjacency:
        """The adjacency of its guarantee."""
        return Adjacency(self.adjacency)


def largest_within(models: Sequence[ModelAtEpsilon], risk: RiskTarget) -> float:
    """The largest ε up to which every model keeps the risk; 0 without one.

    The models are in the order of their ε.
    """
    largest = 0.0
    for model in models:
        if not model.keeps(risk):
            break
        largest = model.epsilon
    return largest


def crossing(rows: pd.DataFrame, column: str, threshold: float, sign: float = 1.0) -> float | None:
    """The least ε from which on no value of `column` is below `threshold`, by `sign`."""
    good = sign * (rows[column] - threshold) >= 0.0
    epsilons = rows.loc[good[::-1].cummin()[::-1], "epsilon"]
    return float(epsilons.iloc[0]) if len(epsilons) else None
