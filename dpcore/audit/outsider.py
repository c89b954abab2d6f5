"""Attacks of an outsider, who asks a model for its outputs and sees nothing of its training.

A chosen canary lights all pixels that are dark in every other image, under a label of the
attacker's choice. The network is linear, so no other record moves the weights of those pixels, and
its start, which the attacker chose, is all zeros: the canary's gradient keeps its direction and,
being clipped, its length. What the last model says of the canary, its own output less the mean of
all, is then almost as good as all steps (compare Annamalai and De Cristofaro 2024, who use losses).

Of other records an outsider has shadow models, trained on records drawn alike: LiRA (Carlini et al.
2022) fits a normal law to what models say of a record that were trained with it, and one to those
without it; RMIA (Zarifzadeh, Liu and Shokri 2024) compares the record's probability, as a ratio to
its mean over shadow models, with that of records that are in no model. Neither knows a guarantee:
what they find is the risk of these records, not the worst there is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.audit.attack import Attack, Power, Target
from dpcore.audit.deep import promised
from dpcore.datasets.images.examples import NULL_CLASS
from dpcore.guarantee import Adjacency, Edition

if TYPE_CHECKING:
    from dpcore.deep.config import TrainingConfig

Array = NDArray[np.floating]
Inside = NDArray[np.bool_]

KEY = "outsider"
CLIP = 1.0
LABEL, NORM = 0, 2.0
"""Of the canary: bright enough for a gradient above C, and too dark to change its own slope."""
AT_ONCE = 20_000
"""Records of all trainings that are worked on side by side."""
LEAST_SPREAD = 1e-3


@dataclass(frozen=True)
class OutsiderSetting(Power):
    data: str = "digits"
    records: int = 300
    steps: int = 10
    rate: float = 2.0


SETTING = OutsiderSetting(epsilon=10.0, runs=100)


def attack(setting: OutsiderSetting) -> Attack:
    """The attack on the training of a linear network with this many images, in full batches."""

    def aim(epsilon: float, delta: float) -> Target:
        from dpcore.datasets.images import catalogue
        from dpcore.deep.config import TrainingConfig

        examples = catalogue.load(setting.data)
        inputs = examples.train_inputs[: setting.records].reshape(setting.records, -1).copy()
        targets = examples.train_targets[: setting.records].copy()
        dark = ~(inputs[1:] > 0.0).any(axis=0)
        inputs[0], targets[0] = dark * min(1.0, NORM / dark.sum() ** 0.5), LABEL
        config = TrainingConfig(
            network="linear",
            epochs=setting.steps,
            clip=CLIP,
            learning_rate=setting.rate,
            sampling="none",
            delta=delta,
        )
        config, promise = promised(config, epsilon, setting.records)

        def draw(share: float, runs: int, seed: int) -> tuple[Array, Array]:
            own = replace(config, sigma=share * config.sigma)
            without = np.where(np.arange(len(targets)) > 0, targets, NULL_CLASS)
            first, second = (
                outputs(
                    replace(own, seed=2 * seed + place),
                    inputs,
                    labels,
                    inputs[:1],
                    runs,
                    examples.outputs,
                )
                for place, labels in enumerate((targets, without))
            )
            return first[:, 0, LABEL], second[:, 0, LABEL]

        return Target(promise, draw)

    return setting.attack(
        KEY,
        Edition.SOUND,
        Adjacency.ZERO_OUT,
        f"One image that lights what is dark in {setting.records - 1} others ({setting.data}), or "
        f"a blank; what a linear network says of it after {setting.steps} steps on all.",
        aim,
    )


def outputs(
    config: TrainingConfig,
    inputs: Array,
    targets: NDArray[np.integer],
    queries: Array,
    runs: int,
    classes: int,
) -> Array:
    """Outputs of `runs` linear networks, less their mean: (runs, queries, classes).

    All start at zero; a target of `NULL_CLASS` is of a record that is not there.
    """
    import torch

    from dpcore.deep.training import TrainingRun

    at_once, parts = max(1, AT_ONCE // len(inputs)), []
    for start in range(0, runs, at_once):
        own = replace(config, seed=runs * config.seed + start)
        alike = [own] * min(at_once, runs - start)
        run = TrainingRun(alike, inputs, targets, classes)
        with torch.no_grad():
            for parameter in run.network.parameters():
                parameter.zero_()
        run.advance(run.steps)
        parts.append(run.scores(queries).astype(float))
    every = np.concatenate(parts)
    return np.asarray(every - every.mean(axis=2, keepdims=True))


def confidences(outputs: Array, targets: NDArray[np.integer]) -> Array:
    """Ln p/(1 - p) of each record's own class; outputs (…, records, classes)."""
    is_own = np.arange(outputs.shape[-1]) == targets[:, None]
    others = special.logsumexp(np.where(is_own, -np.inf, outputs), axis=-1)
    return np.asarray((outputs * is_own).sum(axis=-1) - others)


def lira(target: Array, shadows: Array, inside: Inside) -> Array:
    """LiRA's scores of records by a model's confidences, (records,).

    `shadows` are those of other models, (models, records), and `inside` says which of them each
    record is in. Variances are shared by all records, as few models tell little of each.
    """
    scores = np.zeros(len(target))
    for sign, group in ((1.0, inside), (-1.0, ~inside)):
        counts = np.maximum(group.sum(axis=0), 1)
        means = (shadows * group).sum(axis=0) / counts
        spread = np.sqrt((((shadows - means) * group) ** 2).sum() / max(group.sum(), 1))
        spread = max(float(spread), LEAST_SPREAD)
        scores += sign * (-0.5 * ((target - means) / spread) ** 2 - np.log(spread))
    return scores


def rmia(target: Array, shadows: Array, strangers: Inside) -> Array:
    """RMIA's scores of records by a model's confidences: of how many strangers they are above.

    `strangers` are the records that are known to be in no model.
    """
    ratios = special.log_expit(target) - np.log(special.expit(shadows).mean(axis=0))
    known = np.sort(ratios[strangers])
    return np.asarray(np.searchsorted(known, ratios, side="right") / len(known))


def found(scores: Array, inside: Inside, false_alarm_rate: float) -> float:
    """The share of members that is found where so many others are taken for members, at most."""
    others = np.sort(scores[~inside])[::-1]
    level = others[min(int(false_alarm_rate * len(others)), len(others) - 1)]
    return float((scores[inside] > level).mean())


def guessed_values(losses: Array, shares: Array) -> NDArray[np.integer]:
    """The likeliest value of a column, by the model's loss with each and by how common each is.

    `losses` are (records, values), and `shares`, (values,), those of all people.
    """
    return np.asarray(np.argmax(np.log(shares) - losses, axis=1))
