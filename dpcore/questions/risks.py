"""What the questions about risks share: of which models they are, and what correcting takes."""

from __future__ import annotations

from dataclasses import dataclass, field

from dpcore.controls.explore import CORRECTED
from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.evaluation.study import RiskModels, Study
from dpcore.questions.question import Question, asked
from dpcore.words import percent, plain


@dataclass(frozen=True)
class RiskQuestion(Question):
    """What is asked of the risks that private models of a study give."""

    study: Study = field(default_factory=Study)
    corrected: bool = asked(CORRECTED, default=False, takes="bool")

    def __post_init__(self) -> None:
        object.__setattr__(self, "study", self.models.study)

    @property
    def models(self) -> RiskModels:
        """The models, which other questions about the same study need, too."""
        return RiskModels(self.study, self.corrected)


def of_percent(risk: float) -> float:
    """The share that a risk in percent is."""
    return risk / 100


def correction(model: ModelAtEpsilon) -> str:
    """What correcting a model's risks takes of its ε, in sentences."""
    total, training = model.epsilon, model.training_epsilon
    share = 1.0 - training / total
    percentage = percent(share) if share >= 0.001 else "less than 0.1 %"
    return (
        f"Correcting the risks takes {percentage} of ε. The model is trained at ε = "
        f"{plain(training)}, and noisy counts of its scores take the rest. Both together are "
        f"proved for ε = {plain(total)}."
    )
