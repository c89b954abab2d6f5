"""The effect of one setting on a private training within the same budget.

The noise gives way, for as many epochs (paper 004, figure 5), or the epochs do (paper 003, figure
2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from dpcore.accounting.planner import solve
from dpcore.deep.config import TrainingConfig
from dpcore.errors import InvalidInput, number, one_of, whole
from dpcore.evaluation.training.study import ACCOUNTANT, TrainingStudy, assurance
from dpcore.evaluation.training.variants import accounted
from dpcore.words import significant

NOISE, EPOCHS = "noise", "epochs"
"""What is adjusted to keep ε: σ₀ is solved again, or the number of epochs is what σ₀ affords."""

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
NEAR = (0.7, 0.85, 1.0, 1.2, 1.4)
"""Factors of the current value; `NEAR` where epochs are adjusted, as they vary with its square."""

FALLS = (1.0, 0.5, 0.25, 0.1)
"""Final variance of the noise, as a share of the first."""

MAX_TIMES = 10
"""Most epochs run where the noise affords more, as a multiple of the present number."""


@dataclass(frozen=True)
class Effect:
    """One setting, and how it is varied."""

    key: str
    title: str
    symbol: str
    unit: str
    gives_way: tuple[str, ...]  # "noise" or "epochs"; the first is the default
    named: str  # in a refusal
    whole_numbers: bool = False
    most: float | None = None  # of a whole number n where left out

    def check(self, value: float, records: int) -> float:
        """The value, or `InvalidInput`; `records` is n, or the public size in its place."""
        if not self.whole_numbers:
            most = math.inf if self.most is None else self.most
            return number(self.named, value, above=0.0, at_most=most)
        most = records if self.most is None else int(self.most)
        return float(whole(self.named, value, at_least=1, at_most=most))

    def read(self, config: TrainingConfig) -> float:
        """The present value in a configuration."""
        if self.key == "units":
            return max(config.widths, default=0)
        return float(getattr(config, self.key))

    def put(self, config: TrainingConfig, value: float) -> TrainingConfig:
        """The configuration with another value."""
        if self.key == "units":
            return replace(config, widths=(int(value),) * len(config.widths))
        changed: dict[str, Any] = {self.key: int(value) if self.whole_numbers else value}
        return replace(config, **changed)

    def why_not(self, study: TrainingStudy) -> str:
        """Why this setting has no effect in a study; empty where it has."""
        config = study.config
        if not config.private:
            return "The training has no noise or no clipping, so there is no budget to keep."
        if self.key == "units" and not (config.network == "perceptron" and config.widths):
            return "Only a fully connected network has hidden units that can be chosen here."
        if self.key == "batch" and config.sampling == "none":
            return "Every step takes all records, so there is no batch to choose."
        if self.key == "decay" and config.noise == "published-004":
            return "Paper 004's noise does not decay."
        if NOISE not in self.gives_way and not accounted(config):
            return "Nothing certifies this noise, so no number of epochs is known to be affordable."
        return ""

    def present(self, study: TrainingStudy, records: int) -> float:
        """The setting's value in a study, with σ₀ solved where it follows from ε."""
        return float(
            self.read(study.with_calibrated_sigma(records) if self.key == "sigma" else study.config)
        )

    def values(
        self, study: TrainingStudy, records: int, gives_way: str | None = None
    ) -> tuple[float, ...]:
        """Values to compare, ascending: the present one and some around it."""
        now = self.present(study, records)
        if self.key == "decay":
            config = study.config
            times = config.epochs * (
                config.steps_an_epoch(records) if config.decay_every == "step" else 1
            )
            candidates = [_rounded_decay(fall ** (1.0 / max(1, times - 1))) for fall in FALLS]
        else:
            near = self.way(gives_way) == EPOCHS and not self.whole_numbers
            candidates = [now * factor for factor in (NEAR if near else FACTORS) if factor != 1.0]
            digits = round if self.whole_numbers else significant
            candidates = [float(digits(value)) for value in candidates]
        result = {now}
        for value in candidates:
            try:
                result.add(self.check(value, study.config.size(records)))
            except InvalidInput:  # beyond the records, or no whole number left
                continue
        return tuple(sorted(result))

    def varied(
        self, study: TrainingStudy, value: float, records: int, gives_way: str | None = None
    ) -> TrainingStudy:
        """The study with another value of this setting, within the same ε at the same δ.

        The study's ε is the target; without one its budget, or else the ε of its own σ₀. Where
        "noise" `gives_way`, σ₀ is solved anew when the study begins, and the epochs stay. Where
        "epochs" do, σ₀ stays as in `study` (or is the value), and the study ends with the last
        affordable step, at most `MAX_TIMES` the present epochs. Refuses a value out of range, a
        setting without effect here, and where not even one step fits.
        """
        yielding = self.way(gives_way)
        if reason := self.why_not(study):
            raise InvalidInput(reason)
        value = self.check(value, study.config.size(records))
        target = study.epsilon or study.budget or _spends(study, records)
        if yielding == NOISE:
            return replace(study, config=self.put(study.config, value), epsilon=target)
        config = self.put(study.with_calibrated_sigma(records), value)
        plan = solve("steps", config.training(records), target, ACCOUNTANT)
        if plan.value is None:
            raise InvalidInput(plan.sentence)
        afforded = -(-int(plan.value) // config.steps_an_epoch(records))
        epochs = min(afforded, MAX_TIMES * study.config.epochs)
        budget = target if study.budget is None else min(target, study.budget)
        return replace(study, config=replace(config, epochs=epochs), epsilon=None, budget=budget)

    def way(self, gives_way: str | None) -> str:
        """What gives way: what is named, or else what usually does."""
        if not gives_way:
            return self.gives_way[0]
        return one_of(f"what gives way to {self.title}", gives_way, self.gives_way)


def _spends(study: TrainingStudy, records: int) -> float:
    certified = assurance(study.config, records).certified
    if certified.epsilon is None:
        raise InvalidInput(certified.reason)
    return certified.epsilon


def _rounded_decay(value: float) -> float:
    return 1.0 - significant(1.0 - value, 2) if value < 1.0 else 1.0


EFFECTS: dict[str, Effect] = {
    effect.key: effect
    for effect in (
        Effect("decay", "noise decay", "R", "", (EPOCHS, NOISE), "decay R", most=1.0),
        Effect("sigma", "initial noise", "σ₀", "on the sum of clipped gradients", (EPOCHS,), "σ"),
        Effect("clip", "clipping norm", "C", "", (NOISE, EPOCHS), "C"),
        Effect("batch", "lot size", "", "records a step", (NOISE,), "batch size", True),
        Effect(
            "units",
            "hidden units",
            "",
            "in each hidden layer",
            (NOISE,),
            "hidden units",
            whole_numbers=True,
            most=100_000,
        ),
    )
}


def effect(key: str) -> Effect:
    return EFFECTS[one_of("setting", key, tuple(EFFECTS))]
