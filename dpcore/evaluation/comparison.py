"""Baselines of a private training: no privacy, clipping or noise alone, constant noise."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.accounting import paper_004
from dpcore.accounting.epsilon_curve import along, checkpoints
from dpcore.datasets.images.examples import NULL_CLASS
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.scoring import spread_by
from dpcore.evaluation.training.data import known
from dpcore.evaluation.training.spending import ACCOUNTANT
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.guarantee import Guarantee

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.datasets.images import Examples

REFERENCE_OPTIMIZER, REFERENCE_RATE = "adam", 0.01
"""Optimizer of the training without privacy: a learning rate made for clipped gradients may diverge
without clipping, and a reference that learns nothing would make privacy look free."""

MAX_MARKS = 60
"""Epochs, evenly spread, whose ε is certified before training; each costs some 20 ms."""

SHAPING = (
    "noise",
    "weights",
    "cost",
    "elementwise",
    "share",
    "refresh",
    "reading",
    "order",
    "noise_on_mean",
)
"""Fields of a configuration that determine the shape of its noise over the weights."""

SCALED, PUBLISHED = "scaled", "published-004"
METRICS = ("accuracy_test", "auc_test", "loss_train")


def comparison_arms(study: TrainingStudy) -> dict[str, TrainingStudy]:
    """The study itself ("private") and its comparisons.

    "nonprivate" has neither clipping nor noise, and its own optimizer. "clipped" has clipping and
    no noise, which tells what each of them costs; it is absent beside a release, whose batches
    nobody can draw again. "constant" is plain DP-SGD, isotropic noise of constant σ, at the same
    certified ε; absent where the study is that. Only "private" and "constant" are private.
    """
    # The comparisons of a training for release are never released themselves.
    unreleased = replace(study, release="", models=1)
    reference = replace(unreleased, config=nonprivate(study.config), epsilon=None, budget=None)
    arms = {"private": study, "nonprivate": reference}
    if not study.release:
        config = clipped_only(study.config)
        arms["clipped"] = replace(unreleased, config=config, epsilon=None, budget=None)
    plain = replace(evenly(study.config), decay=1.0)
    if plain != study.config:
        arms["constant"] = replace(unreleased, config=plain)
    return arms


def noise_only(study: TrainingStudy, sigma: float) -> TrainingStudy:
    """The study with noise and without clipping."""
    config = replace(evenly(study.config), sigma=sigma, clipped=False)
    return replace(study, config=config, epsilon=None)


def shapes(study: TrainingStudy, sigma: float) -> dict[str, TrainingStudy]:
    """Shapes of the noise side by side, all constant over time.

    `sigma` is that of isotropic noise for the study's ε: "isotropic", and "scaled" at the same
    certified ε. "published": paper 004's noise, of which the paper claims that ε. "bounded", where
    public records are set aside: the paper's shape with public weights and so much noise that the
    same ε is certified; since weights change during training, only bounds for any weights count.
    Paper 004 needs Poisson samples.
    """
    config = study.config
    even = replace(evenly(config), decay=1.0)
    scaled = replace(config, decay=1.0) if config.noise == "scaled" else replace(even, noise=SCALED)
    studies = {"isotropic": replace(study, config=even), "scaled": replace(study, config=scaled)}
    if config.sampling != "poisson":
        return studies
    printed = config if config.noise == PUBLISHED else replace(even, noise=PUBLISHED)
    studies["published"] = replace(study, config=printed)
    if study.public:
        enough = replace(even, noise=PUBLISHED, weights="public", sigma=sigma / paper_004.MIN)
        studies["bounded"] = replace(study, config=enough, epsilon=None)
    return studies


def calibrated_arms(study: TrainingStudy, records: int) -> dict[str, TrainingStudy]:
    """`comparison_arms`, the private ones with σ₀ solved."""
    return {series: arm.calibrated(records) for series, arm in comparison_arms(study).items()}


def with_calibrated_sigma(
    arms: Mapping[str, TrainingStudy], records: int
) -> dict[str, TrainingConfig]:
    """The configurations of the private arms with σ₀ solved; taken over from `calibrated_arms`."""
    return {
        series: arm.with_calibrated_sigma(records)
        for series, arm in arms.items()
        if arm.config.private
    }


def nonprivate(config: TrainingConfig) -> TrainingConfig:
    """The same network on the same batches without clipping and noise.

    Settings that matter to privacy only keep their defaults: one such training serves every ε.
    A public size counts, because its steps and a refusal of its batch would tell n otherwise.
    """
    shared_settings = ["network", "widths", "activation", "epochs", "batch", "sampling", "seed"]
    if config.public_size is not None:
        shared_settings += ["adjacency", "public_size"]
    return TrainingConfig(
        **{name: getattr(config, name) for name in shared_settings},
        learning_rate=REFERENCE_RATE,
        optimizer=REFERENCE_OPTIMIZER,
        sigma=0.0,
        clipped=False,
    )


def clipped_only(config: TrainingConfig) -> TrainingConfig:
    """The same training without noise, not private; settings of noise alone keep their defaults."""
    usual = {name: getattr(TrainingConfig, name) for name in ("decay", "decay_every", "delta")}
    return replace(evenly(config), sigma=0.0, **usual)


def epsilon_schedule(configs: Mapping[str, TrainingConfig], records: int) -> pd.DataFrame:
    """σ and the certified ε at the end of each epoch, before anything is trained.

    Of more than `MAX_MARKS` epochs, at the end of as many evenly spread ones, the last included.
    `configs` are private ones by series, with σ₀ solved; columns are series, epoch, steps, sigma
    (of the epoch's last step), epsilon, delta, adjacency, accountant.
    """
    import pandas as pd

    rows = []
    for series, config in configs.items():
        training, an_epoch = evenly(config).training(records), config.steps_an_epoch(records)
        marks = [an_epoch * epoch for epoch in checkpoints(config.epochs, MAX_MARKS)]
        # As printed, paper 004's noise has no accountant: only its steps and its σ are known. With
        # public weights an accountant counts less noise than σ.
        if accounted(config):
            spent = along(config.training(records), ACCOUNTANT, marks)
        else:
            spent = [Guarantee(None, None, training.adjacency, "none")] * len(marks)
        sigmas = training.schedule().each_step()
        for steps, guarantee in zip(marks, spent, strict=True):
            epsilon = math.nan if guarantee.epsilon is None else guarantee.epsilon
            promise = epsilon, training.delta, str(training.adjacency), guarantee.by
            rows.append((series, steps // an_epoch, steps, sigmas[steps - 1], *promise))
    names = ("series", "epoch", "steps", "sigma", "epsilon", "delta", "adjacency", "accountant")
    return pd.DataFrame(rows, columns=list(names))


def accounted(config: TrainingConfig) -> bool:
    """Whether an accountant covers the configuration's noise."""
    return config.private and not (config.uneven and config.source == "private")


def evenly(config: TrainingConfig) -> TrainingConfig:
    """The configuration with equal noise for every weight; other shape settings are reset."""
    usual = {name: getattr(TrainingConfig, name) for name in SHAPING}
    return replace(config, **usual)


def gathered(histories: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Histories by series as one table, with a column `series` in front."""
    import pandas as pd

    parts = [rows.assign(series=series) for series, rows in histories.items() if len(rows)]
    if not parts:
        return pd.DataFrame({"series": []})
    table = pd.concat(parts, ignore_index=True)
    return table[["series", *table.columns.drop("series")]]


def averaged(history: pd.DataFrame) -> pd.DataFrame:
    """Mean and 90 % band over runs at each epoch that every run of a series has reached."""
    import pandas as pd

    if history.empty:
        return history
    keys = ["series", "epoch"]
    groups = history.groupby(keys, sort=False)
    first = groups.first().drop(columns=[*METRICS, "run"], errors="ignore")
    parts = [first, groups.size().rename("runs")]
    for metric in METRICS:
        if metric in history:
            names = metric, f"{metric}_low", f"{metric}_high"
            spread = zip(spread_by(groups[metric]), names, strict=True)
            parts += [column.rename(name) for column, name in spread]
    table = pd.concat(parts, axis=1).reset_index()
    most = history.groupby("series")["run"].nunique()
    return table[table["runs"] == table["series"].map(most)].reset_index(drop=True)


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


def tested(examples: Examples) -> tuple[int, ...]:
    """Number of test records: of each class, or in all where they have labels."""
    targets = examples.test_targets[known(examples.test_targets)]
    if examples.task == "labels":
        return (len(targets),)
    counts = np.bincount(targets[targets > NULL_CLASS], minlength=examples.outputs)
    return tuple(int(count) for count in counts)


def on_new_records(
    value: float, metric: str, tested: tuple[int, ...]
) -> tuple[float, float] | None:
    """Range of a network's metric on new records, at 95 %; ``None`` where counts are not known."""
    from dpcore.evaluation.scoring.auc import area_interval
    from dpcore.evaluation.scoring.metrics import accuracy_interval

    if metric == "accuracy_test" and any(tested):
        return accuracy_interval(value, sum(tested))
    if len(tested) == 2 and min(tested) > 0:
        return area_interval(value, tested[1], tested[0])
    return None


def ends(table: pd.DataFrame) -> pd.DataFrame:
    """The last row of each series of `averaged`."""
    if table.empty:
        return table
    rows: pd.DataFrame = table.groupby("series", sort=False).tail(1).reset_index(drop=True)
    return rows


def claimed(studies: Mapping[str, TrainingStudy], ends: pd.DataFrame) -> NDArray[np.float64]:
    """The total ε that paper 004 claims for each row of `ends`; NaN where it claims none."""
    epsilons = [
        study.epsilon if study.config.noise == PUBLISHED else None
        for study in map(studies.__getitem__, ends["series"])
    ]
    return np.array(epsilons, float)


def last(history: pd.DataFrame) -> pd.DataFrame:
    """The last row of each series and run."""
    if history.empty:
        return history
    rows = history.sort_values("epoch", kind="stable").groupby(["series", "run"], sort=False)
    result: pd.DataFrame = rows.tail(1).reset_index(drop=True)
    return result


def seconds(history: pd.DataFrame, series: str) -> float | None:
    """Time that all runs of a series have been trained for; ``None`` before the first epoch."""
    rows = history[history["series"] == series]
    if rows.empty:
        return None
    return float(rows.groupby("run")["seconds"].max().sum())
