"""The files of a training: weights and settings, covered by its ε, and measures, which are not.

The files of one training for release reveal at most the ε in its settings about any one record.
Measures on real records are in files of their own, marked, and without any ε.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np

import dpcore
from dpcore.accounting.events import declared
from dpcore.evaluation.marks import ALL_BLANK, COLUMN, NOT_PRIVATE, marked
from dpcore.evaluation.scoring import spread
from dpcore.evaluation.training.measures import METRICS
from dpcore.evaluation.training.study import assurance, paper_claim, stands
from dpcore.evaluation.training.variants import chosen_on
from dpcore.guarantee import verdicts
from dpcore.work.task import Outcome

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.deep.config import TrainingConfig
    from dpcore.evaluation.training.study import TrainingStudy
    from dpcore.evaluation.training.trainer import Trainer

SPENT = ("sigma", "epsilon", "delta", "adjacency", "accountant", "status")
"""Columns of a history about the noise, and not about measures."""

FIRST_WEIGHTS = "seed_of_first_weights"

NOT_COVERED = (
    "Proved for real-valued noise. The low bits of numbers, time and memory, and settings chosen "
    "by looking at measures are not covered. Every training on the same records adds to the cost."
)

NULLIFIED = (
    "The noise comes from a seed, and whoever has the seed takes it off again. Trained for "
    "keeping, with the system's randomness, it costs what is certified."
)


def conclusion(trainer: Trainer, place: int = 0) -> dict[str, Any]:
    """The cost of a study's files, in plain values, and the papers' claims; no measures.

    ``epsilon`` is that of all written models together, for the steps taken, and ``None`` where the
    noise came from a seed; ``certified`` is an accountant's ε for one training with this noise,
    drawn from the system.
    """
    study, config = trainer.studies[place], trainer.configs[place]
    records, steps = trainer.records, trainer.steps_done(place)
    guarantees = assurance(config, records, min_noise_ratio=trainer.min_noise_ratio(place))
    certified, together = trainer.spent(place, steps), trainer.released(place)
    paper = paper_claim(config, records, guarantees)
    sound = study.system_entropy or not config.private
    return {
        "dataset": study.dataset,
        "features": study.features,
        "network": config.network,
        "noise": config.noise,
        "records": config.size(records),
        "public_size": config.public_size,
        "runs": study.runs,
        "models": study.models,
        "epochs": config.epochs,
        "steps": steps,
        "steps_planned": trainer.steps_planned(place),
        "sigma": config.sigma,
        "clip": config.clip,
        "randomness": "system" if study.system_entropy else "seed",
        "epsilon": together.epsilon if sound else None,
        "delta": config.delta if config.private else None,
        "adjacency": config.adjacency,
        "neighbours": certified.adjacency.of("training part"),
        "accountant": together.by,
        "reason": together.reason if sound or together.epsilon is None else NULLIFIED,
        "status": str(stands(guarantees.status, system_entropy=study.system_entropy)),
        "certified": {
            "epsilon": certified.epsilon,
            "delta": config.delta if config.private else None,
            "adjacency": str(certified.adjacency),
            "accountant": certified.by,
            "status": str(guarantees.status),
            "reason": certified.reason,
        },
        "conditions": verdicts(guarantees.conditions),
        "settings_chosen": chosen_on(study),
        "choice": declared(config.chosen_of) if config.private else None,
        "not_covered": NOT_COVERED,
        "claim": {
            "epsilon": paper.claim.epsilon,
            "delta": paper.claim.delta,
            "adjacency": str(paper.claim.adjacency),
            "by": paper.claim.by,
            "about": "the whole run as planned",
            "conditions": verdicts(paper.conditions),
            "verdict": paper.verdict,
        },
    }


def measures(trainer: Trainer, place: int = 0) -> dict[str, Any]:
    """The measures of a study's networks, in plain values: not private."""
    study = trainer.studies[place]
    rows = trainer.history()
    last = rows[rows["study"] == place].groupby("run").tail(1) if len(rows) else rows
    return {
        COLUMN: NOT_PRIVATE,
        "measured_on": "held-out training records" if study.held_out else "test records",
        "runs": study.runs,
        **{name: _spread(last, column) for name, column in METRICS.items()},
        "note": ALL_BLANK if trainer.all_blank else "",
    }


def measured(rows: pd.DataFrame) -> pd.DataFrame:
    """A history for a file: marked, and without the ε, which does not cover it."""
    return marked(rows.drop(columns=[*SPENT], errors="ignore"))


def outcome(trainer: Trainer, place: int = 0) -> Outcome:
    """The history of one study; its weights, its settings and, in a separate file, its measures."""
    rows = trainer.history()
    rows = rows[rows["study"] == place].drop(columns="study").reset_index(drop=True)
    return Outcome(
        rows,
        {
            "weights.npz": weights(trainer, place),
            "settings.json": settings(trainer, place),
            "measures.json": _json(measures(trainer, place)),
        },
    )


def weights(trainer: Trainer, place: int = 0) -> bytes:
    """An ``.npz``: each of the network's parameters by name, the models along the first axis."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **trainer.weights(place))
    return buffer.getvalue()


def settings(trainer: Trainer, place: int = 0) -> bytes:
    """JSON: the study, its σ, the ε spent, and the versions used; only fields that took part."""
    import torch

    study = trainer.studies[place]
    recipe = _used(study, study.config)
    if study.epsilon is not None:
        del recipe["sigma"]  # it was solved
    text = {
        "study": study.description | {"recipe": recipe},
        "recipe": _used(study, trainer.configs[place]),
        "conclusion": conclusion(trainer, place),
        "device": str(trainer.device),
        "versions": {"dpcore": dpcore.__version__, "torch": torch.__version__},
    }
    return _json(text)


def _used(study: TrainingStudy, config: TrainingConfig) -> dict[str, Any]:
    """The fields that took part; from the system's entropy the seed gave the first weights only."""
    used = config.used
    return used | {FIRST_WEIGHTS: used.pop("seed")} if study.system_entropy else used


def _json(text: dict[str, Any]) -> bytes:
    return json.dumps(_plain(text), ensure_ascii=False, indent=2).encode()


def _spread(rows: pd.DataFrame, column: str) -> dict[str, float] | None:
    """Mean and 5 % and 95 % quantiles over runs; ``None`` where nothing is measured."""
    values = rows[column].dropna() if column in rows else ()
    if len(values) == 0:
        return None
    mean, low, high = spread(np.asarray(values))
    return {"mean": float(mean), "low": float(low), "high": float(high)}


def _plain(value: Any) -> Any:
    """The value with ``null`` for nan and infinity, as JSON needs."""
    if isinstance(value, float) and not np.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
