"""Link to the pages where a system runs, with their settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpcore.accounting.paper_003 import preset
from dpcore.controls import account, explore, plan, train
from dpcore.controls.link import address
from dpcore.datasets import catalogue
from dpcore.erm.losses import MARGIN_LOSSES, RESIDUAL_LOSSES
from dpcore.guarantee import Edition
from dpcore.methods import method_named
from dpcore.systems.standings import TRAININGS
from dpcore.systems.system import Place, Relation, Runnable

TRAIN_LABELS = {
    Relation.ITSELF: "Train it",
    Relation.SOUND: "Train its corrected version",
    Relation.RELATIVE: "Train a relative",
}


@dataclass(frozen=True)
class Route:
    page: str
    label: str
    icon: str
    settings: dict[str, str | list[str]]


def route(run: Runnable) -> Route:
    """Return the link for a run on Explore, Plan or Train."""
    if run.place is Place.EXPLORE:
        title = method_named(run.key).title
        settings = _explore_settings(run) | {explore.FOCUS.key: title}
        return Route("explore/explore.py", f"{title} in Explore", ":material/explore:", settings)
    if run.place is Place.PLAN:
        values = plan.values(preset(run.key).training)
        asked = {account.QUESTION.key: account.QUESTION.text("run"), plan.PAPER.key: "true"}
        settings = asked | address(plan.CONTROLS, values)
        return Route("plan/plan.py", "Its cost in Plan", ":material/event_note:", settings)
    settings = address(train.CONTROLS, _train_settings(run.key))
    return Route(
        "train/train.py", TRAIN_LABELS[run.relation], ":material/model_training:", settings
    )


def _explore_settings(run: Runnable) -> dict[str, str | list[str]]:
    method = method_named(run.key)
    is_published = run.relation is Relation.ITSELF and Edition.PUBLISHED in method.editions
    predicts_number = run.loss in RESIDUAL_LOSSES or not set(method.losses) & set(MARGIN_LOSSES)
    values: dict[str, Any] = {
        explore.CHOSEN_METHODS["number" if predicts_number else "class"].key: [method.key],
        "edition": "published" if is_published else "sound",
    }
    if predicts_number:
        values["data"] = next(
            dataset.key for dataset in catalogue() if dataset.predicts == "number"
        )
    elif run.loss:
        values["loss"] = run.loss
    if run.features or is_published:
        values["feature_map"] = run.features or "plain"
    return address(explore.CONTROLS, values)


def _train_settings(key: str) -> dict[str, Any]:
    example = TRAININGS[key]
    config = example.config
    decays = config.decay < 1.0
    return {
        "dataset": example.dataset,
        "features": example.features,
        "network": config.network,
        "layers": len(config.widths),
        "units": config.widths[0],
        "passes": config.epochs,
        "lot": config.batch,
        "rate": config.learning_rate,
        "schedule": "decaying" if decays else "constant",
        "ratio": config.decay if decays else train.CONTROLS["ratio"].default,
        "shape": config.noise,
        "repeats": 3,
    }
