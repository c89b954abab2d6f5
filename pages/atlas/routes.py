"""Where a system is run: the page and the settings that its address names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpcore.accounting.presets import preset
from dpcore.controls import Page, address, explore, plan, train
from dpcore.datasets import catalogue
from dpcore.erm.losses import MARGIN_LOSSES, RESIDUAL_LOSSES
from dpcore.guarantee import Edition
from dpcore.methods import method_named
from dpcore.systems.system import Place, Relation, Runnable
from dpcore.systems.trainings import TRAININGS
from pages.shared import query

TRAIN_LABELS = {
    Relation.ITSELF: "Train it",
    Relation.SOUND: "Train its sound form",
    Relation.RELATIVE: "Train a relative",
}


@dataclass(frozen=True)
class Route:
    """A link to another page.

    Parameters
    ----------
    page, label, icon : str
    settings : dict of str to str or list of str
        Of the address.
    """

    page: str
    label: str
    icon: str
    settings: dict[str, str | list[str]]


def route(run: Runnable) -> Route:
    """The link for a run on Explore, Plan or Train."""
    if run.place is Place.EXPLORE:
        title = method_named(run.key).title
        settings = _explore(run) | {explore.FOCUS.key: title}
        return Route("explore/explore.py", f"{title} in Explore", ":material/explore:", settings)
    if run.place is Place.PLAN:
        said = plan.values(preset(run.key).training)
        settings = _signed(plan.CONTROLS, said)
        return Route("plan/plan.py", "Its cost in Plan", ":material/event_note:", settings)
    settings = _signed(train.CONTROLS, _train(run.key))
    return Route(
        "train/train.py", TRAIN_LABELS[run.relation], ":material/model_training:", settings
    )


def _signed(page: Page, said: Mapping[str, Any]) -> dict[str, str | list[str]]:
    return address(page, said) | {query.VERSION: query.THIS}


def _explore(run: Runnable) -> dict[str, str | list[str]]:
    method = method_named(run.key)
    printed = run.relation is Relation.ITSELF and Edition.PUBLISHED in method.editions
    numbers = run.loss in RESIDUAL_LOSSES or not set(method.losses) & set(MARGIN_LOSSES)
    said: dict[str, Any] = {
        explore.METHODS_KEY["number" if numbers else "class"]: [method.key],
        "edition": "published" if printed else "sound",
    }
    if numbers:
        said["data"] = next(each.key for each in catalogue() if each.predicts == "number")
    elif run.loss:
        said["loss"] = run.loss
    if run.features:
        said["feature_map"] = run.features
    return _signed(explore.CONTROLS, said)


def _train(key: str) -> dict[str, Any]:
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
