"""What privacy costs a network: clipping, and noise on top of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpcore.evaluation.scoring import ACCURACY, AREA
from dpcore.figures.cost import Cost, bars
from dpcore.figures.drawn import Drawn
from dpcore.figures.quality import Quality
from dpcore.figures.training.series import METRICS
from dpcore.guarantee import Status
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.evaluation.comparison import Compared

QUALITIES = {"accuracy_test": Quality(ACCURACY), "auc_test": Quality(AREA)}


def parted(compared: Compared | None, column: str) -> Cost | None:
    """The cost in its two parts; ``None`` while they are not known apart."""
    if compared is None or compared.reference is None or compared.clipped is None:
        return None
    values = (compared.reference, compared.clipped, compared.value)
    return Cost(*values, QUALITIES[column], "clipping")


def cost(compared: Compared | None, column: str, *, waits: str, dark: bool = False) -> Drawn:
    """What clipping and noise take of a metric, as the two parts of one bar."""
    known, quality = parted(compared, column), QUALITIES[column]
    drawn = bars({"": known} if known else {}, quality, dark=dark)
    sentence = waits
    if known and compared:
        after = "" if compared.epoch is None else f", after epoch {spaced(compared.epoch)}"
        lost = known.difference(known.value, known.baseline)
        sentence = (
            f"{_effect('Privacy', lost, known)} {quality.unit} against "
            f"{quality.shown(known.baseline)} without it{after}: {in_words(known)}."
        )
        if max(known.changes.values()) > 0.0:
            sentence += " A gain may be chance."
    return replace(
        drawn, sentence=sentence, alt=f"What privacy costs in {METRICS[column]}: {sentence}"
    )


def in_words(cost: Cost) -> str:
    """What clipping costs, and what the noise does, in the unit of the total."""
    clipping, noise = cost.changes.values()
    return f"{_effect('clipping', clipping, cost)}, {_effect('the noise', noise, cost)}"


def _effect(name: str, change: float, cost: Cost) -> str:
    quality = cost.quality
    is_gain = quality.good(change) > 0.0
    size = quality.amount(change).removesuffix(f" {quality.unit}")
    return f"{name} {'gains' if is_gain else 'costs'} {size}"


def cost_table(cost: Cost, column: str, status: str) -> pd.DataFrame:
    """The trainings behind the bar: a row each, its mean, and its change from the row before."""
    import pandas as pd

    clipping, noise = cost.changes.values()
    others = str(Status.NOT_PRIVATE)
    return pd.DataFrame(
        [
            ("No clipping, no noise", cost.baseline, None, others),
            ("Clipping, no noise", cost.noiseless, clipping, others),
            ("Clipping and noise (your settings)", cost.value, noise, status),
        ],
        columns=["training", column, "change as shown", "status"],
    )
