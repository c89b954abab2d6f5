"""Where a system is run: the page and the settings that its address names."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app_pages.parts import explanations, links, plan_link, train_link
from app_pages.parts.controls import FEATURES, METHODS_KEY
from app_pages.parts.train_presets import FIRST, Settings
from dpcore.accounting.presets import preset
from dpcore.datasets import catalogue
from dpcore.erm.losses import MARGIN_LOSSES, RESIDUAL_LOSSES
from dpcore.guarantee import Edition
from dpcore.methods import method_named
from dpcore.systems.system import Place, Relation, Run
from dpcore.systems.trainings import TRAININGS

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
    settings : dict of str to str
        Of the address.
    """

    page: str
    label: str
    icon: str
    settings: dict[str, str]


def route(run: Run) -> Route:
    """The link for a run on Explore, Plan or Train."""
    if run.place is Place.EXPLORE:
        method = method_named(run.key)
        printed = run.relation is Relation.ITSELF and Edition.PUBLISHED in method.editions
        edition = "published" if printed else "sound"
        numbers = run.loss in RESIDUAL_LOSSES or not set(method.losses) & set(MARGIN_LOSSES)
        settings = {
            METHODS_KEY["number" if numbers else "class"]: method.title,
            "focus": method.title,
            "edition": explanations.EDITION_TITLES[edition],
        }
        if numbers:
            settings["data"] = next(each.title for each in catalogue() if each.predicts == "number")
        elif run.loss:
            settings["loss"] = explanations.LOSS_TITLES[run.loss]
        if run.features:
            settings["feature_map"] = FEATURES[run.features]
        settings[links.VERSION] = links.THIS
        return Route(
            "app_pages/explore.py", f"{method.title} in Explore", ":material/explore:", settings
        )
    if run.place is Place.PLAN:
        found = preset(run.key)
        return Route(
            "app_pages/plan.py",
            "Its cost in Plan",
            ":material/event_note:",
            plan_link.address(found.training),
        )
    return Route(
        "app_pages/train.py",
        TRAIN_LABELS[run.relation],
        ":material/model_training:",
        train_link.address(_settings(run.key)),
    )


def _settings(key: str) -> Settings:
    example = TRAININGS[key]
    recipe = example.recipe
    return replace(
        FIRST,
        dataset=example.dataset,
        features=example.features,
        network=recipe.network,
        layers=len(recipe.widths),
        units=recipe.widths[0],
        passes=recipe.epochs,
        lot=recipe.batch,
        rate=recipe.learning_rate,
        schedule="decaying" if recipe.decay < 1.0 else "constant",
        ratio=recipe.decay if recipe.decay < 1.0 else FIRST.ratio,
        shape=recipe.noise,
        repeats=3,
    )
