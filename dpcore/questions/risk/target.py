"""An ε said as a risk."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.accounting.risk_target import RiskTarget, noise_ratio
from dpcore.words import at_least


@dataclass(frozen=True)
class KeptRisk:
    """The largest ε that keeps a risk by the noise that is drawn."""

    target: RiskTarget
    epsilon: float
    delta: float
    saves: float | None = None  # times this noise that (ε, δ) alone would take, where known

    @property
    def sentence(self) -> str:
        """Up to which ε the risk is kept by the noise, and by ε and δ alone."""
        said = f"By the noise that is drawn, {self.target.words} up to ε = "
        said += at_least(self.epsilon, 4)
        alone = self.target.epsilon_alone(self.delta)
        if alone is None:
            return f"{said}; by ε and δ alone at none."
        noise = ""
        if self.saves is not None:
            noise = f", which takes {at_least(self.saves)} times the noise"
        return f"{said}; by ε and δ alone up to ε = {at_least(alone)}{noise}."


def kept_by_gaussian(target: RiskTarget, delta: float, epsilon: float | None = None) -> KeptRisk:
    """The risk by Gaussian noise without sampling; `epsilon` is the largest, where it is known."""
    largest = target.gaussian_epsilon(delta) if epsilon is None else epsilon
    alone = target.epsilon_alone(delta)
    saves = None if alone is None or not largest else noise_ratio(alone, largest, delta)
    return KeptRisk(target, largest, delta, saves)
