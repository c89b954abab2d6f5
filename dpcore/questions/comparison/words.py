"""How a private training stands beside the same without privacy, in numbers and words."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpcore.evaluation.scoring import ACCURACY, AREA
from dpcore.figures.bands import band
from dpcore.figures.quality import Quality
from dpcore.questions.cost.two_parts import Cost
from dpcore.questions.cost.words import few_records
from dpcore.questions.shown import Number
from dpcore.questions.training.series import METRICS, REPETITION, lost, shown
from dpcore.words import capitalised, spaced

if TYPE_CHECKING:
    import pandas as pd

ACCURACY_IS = "Share of test records that the private network gets right; mean over repetitions."
AUC_IS = (
    "Area under the ROC curve on test records; mean over repetitions. It says how often a record "
    "that has the finding is ranked above one that has not. 0.5 is guessing."
)
LOST = (
    "Counted against the same network without clipping and noise. That one is trained from the "
    "same seeds by Adam, with a learning rate of its own (0.01).\n\n**Clipping**: what changes "
    "with clipping and your optimizer, without noise. That training is not private, and is never "
    "kept.\n\n**Noise**: what your noise changes after that. Parts are counted from the numbers as "
    "shown."
)
BETTER = (
    "The private network comes out better than the one without privacy. That may be chance among "
    "test records and repetitions, or noise and clipping act against overfitting."
)
QUALITIES = {"accuracy_test": Quality(ACCURACY), "auc_test": Quality(AREA)}


@dataclass(frozen=True)
class Compared:
    """The private training's present result, and what it is compared with."""

    value: float  # mean after `epoch` where there is one, else after the last so far
    low: float
    high: float
    runs: int
    # mean without privacy after the same epoch; of both the last where both have ended
    reference: float | None
    clipped: float | None = None  # mean with clipping and without noise, likewise
    epoch: int | None = None  # ``None`` where both have ended


def compared(table: pd.DataFrame, metric: str, *, ended: Collection[str]) -> Compared | None:
    """The last means of `averaged`, or ``None`` while there are none."""
    if metric not in table:
        return None
    shown = table[table[metric].notna()]
    private, references, clipped_means = (
        shown[shown["series"] == series].set_index("epoch")
        for series in ("private", "nonprivate", "clipped")
    )
    if private.empty:
        return None
    end = private.iloc[-1]
    reference, clipped, epoch = None, None, None
    if {"private", "nonprivate"} <= set(ended):
        reference = _last_of(references[metric])
        clipped = _last_of(clipped_means[metric]) if "clipped" in ended else None
    elif len(common := private.index.intersection(references.index)):
        epoch = int(common.max())
        end = private.loc[[epoch]].iloc[-1]
        reference = float(references[metric].loc[epoch])
        if epoch in clipped_means.index:
            clipped = float(clipped_means[metric].loc[epoch])
    return Compared(
        value=float(end[metric]),
        low=float(end[f"{metric}_low"]),
        high=float(end[f"{metric}_high"]),
        runs=int(end["runs"]),
        reference=reference,
        clipped=clipped,
        epoch=epoch,
    )


def _last_of(means: pd.Series) -> float | None:
    return float(means.iloc[-1]) if len(means) else None


def on_new_records(
    value: float, metric: str, tested: tuple[int, ...]
) -> tuple[float, float] | None:
    """Range of a network's metric on new records, at 95 %; ``None`` where counts are not known."""
    from dpcore.evaluation.scoring.metrics import accuracy_interval, area_interval

    if metric == "accuracy_test" and any(tested):
        return accuracy_interval(value, sum(tested))
    if len(tested) == 2 and min(tested) > 0:
        return area_interval(value, tested[1], tested[0])
    return None


def parted(compared: Compared | None, column: str) -> Cost | None:
    """The cost in its two parts; ``None`` while they are not known apart."""
    if compared is None or compared.reference is None or compared.clipped is None:
        return None
    values = (compared.reference, compared.clipped, compared.value)
    return Cost(*values, QUALITIES[column], "clipping")


def in_words(cost: Cost) -> str:
    """What clipping costs, and what the noise does, in the unit of the total."""
    clipping, noise = cost.changes.values()
    return f"{effect('clipping', clipping, cost)}, {effect('the noise', noise, cost)}"


def effect(name: str, change: float, cost: Cost) -> str:
    quality = cost.quality
    is_gain = quality.good(change) > 0.0
    size = quality.amount(change).removesuffix(f" {quality.unit}")
    return f"{name} {'gains' if is_gain else 'costs'} {size}"


def measured(
    now: Compared | None,
    column: str,
    *,
    epochs: int,
    reached: int,
    midway: bool,
    nothing: tuple[str, str],
) -> tuple[Number, Number]:
    """The metric, and what is lost of it to privacy; `nothing` is said while there is neither."""
    label, lost_label = capitalised(METRICS[column]), "Lost to privacy"
    meaning = AUC_IS if column == "auc_test" else ACCURACY_IS
    if now is None:
        return (label, *nothing, meaning), (lost_label, *nothing, LOST)
    value_of = shown(column)
    spread = "one repetition"
    if now.runs > 1:
        ends = band(now.runs, REPETITION)
        spread = f"{ends}: {value_of(now.low)} to {value_of(now.high)}"
    # Both numbers are of one epoch: while the one without privacy is behind, of its last.
    epoch = now.epoch or reached
    is_complete = epoch == epochs and not midway
    epoch_note = "" if is_complete else f"epoch {spaced(epoch)} of {spaced(epochs)}; "
    metric = (label, value_of(now.value), f"{epoch_note}{spread}", meaning)
    if now.reference is None:
        return metric, (lost_label, "…", "the one without is not there yet", LOST)
    # A number with its unit would be cut off.
    value, _, unit = lost(now.value, now.reference, column).partition(" ")
    cost = parted(now, column)
    amount = ": ".join(filter(None, (unit, in_words(cost) if cost else "")))
    note = "; ".join(filter(None, (amount, f"{value_of(now.reference)} without privacy")))
    if now.epoch is not None:
        note += f", both after epoch {spaced(now.epoch)}"
    return metric, (lost_label, value, note, LOST)


def caution(now: Compared | None, column: str, tested: tuple[int, ...]) -> str:
    """Say why the private network may seem better, and how rough a small test set is."""
    if now is None or now.reference is None:
        return ""
    sentences = []
    if lost(now.value, now.reference, column).startswith("+"):
        sentences.append(BETTER)
    spread = on_new_records(now.reference, column, tested)
    if spread is not None:
        sentences.append(few_records(now.reference, spread, sum(tested), QUALITIES[column]))
    return " ".join(filter(None, sentences))
