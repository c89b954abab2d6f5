"""What keeps a risk in a training: more noise, or fewer epochs, by the curve of its own noise."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.accounting.planner import Plan, solve
from dpcore.accounting.risk_target import RiskTarget
from dpcore.errors import InvalidInput
from dpcore.evaluation.training.study import ACCOUNTANT, TrainingStudy
from dpcore.progress import Progress, section, silent
from dpcore.questions.plan.limit import limited
from dpcore.questions.risk.target import KeptRisk
from dpcore.words import at_most, plain, spaced


@dataclass(frozen=True)
class RiskOfTraining:
    """What keeps a risk: an ε at the same epochs, or epochs at the same noise."""

    kept: KeptRisk
    sigma: float  # of that ε
    epochs: Plan

    @property
    def by_noise(self) -> str:
        """The largest ε, and its noise, in words."""
        return f"{self.kept.sentence} The noise is then σ₀ = {at_most(self.sigma, 4)}."

    @property
    def by_epochs(self) -> str:
        """The most epochs with the noise as it is, in words."""
        plan = self.epochs
        if plan.value is None or plan.training is None:
            return plan.sentence
        noise, count = plain(plan.training.sigma, 4), spaced(round(plan.value))
        return f"With the noise as it is, σ₀ = {noise}, at most {count} epochs keep it."


def risk_of_training(
    study: TrainingStudy, records: int, target: RiskTarget, progress: Progress = silent
) -> RiskOfTraining:
    """What keeps a risk, all else as it is; n is public.

    Refused is a risk that no noise keeps, and noise whose law no accountant covers.
    """
    config = study.with_calibrated_sigma(records, section(progress, 0.0, 0.2))
    training = config.training(records)
    answer = limited("sigma", training, target, section(progress, 0.2, 0.5))
    plan, epsilon = answer.plan, answer.plan.guarantee.epsilon
    if plan.value is None or epsilon is None:
        raise InvalidInput(plan.sentence)
    kept = KeptRisk(target, epsilon, config.delta, answer.saves)
    epochs = solve("epochs", training, target, ACCOUNTANT, section(progress, 0.7, 0.3))
    return RiskOfTraining(kept, plan.value, epochs)
