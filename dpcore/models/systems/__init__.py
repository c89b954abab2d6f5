"""The register of the survey's models: each file here joins it by defining `MODEL`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from dpcore.errors import one_of
from dpcore.models.model import Model


@cache
def register() -> dict[str, Model]:
    """Every model by key, in alphabetical order of the keys."""
    result = {}
    for module in pkgutil.iter_modules(__path__):
        model: Model = importlib.import_module(f"{__name__}.{module.name}").MODEL
        result[model.key] = model
    return dict(sorted(result.items()))


def model_named(key: str) -> Model:
    """Find the model called `key`; another is refused."""
    return register()[one_of("model", key, tuple(register()))]


def describe() -> list[dict[str, object]]:
    """The register as plain dictionaries, one per model."""
    return [
        {
            "model": model.key,
            "title": model.title,
            "system": model.system,
            "source": model.paper,
            "edition": str(model.edition),
            "idea": model.idea,
            "claim": model.standing.claim,
            "proof": model.standing.proof,
            "status": str(model.standing.status),
            "measure": model.measure.title,
            "adjacencies": [str(adjacency) for adjacency in model.adjacencies],
            "limits": list(model.limits),
        }
        for model in register().values()
    ]
