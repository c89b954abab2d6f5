"""The register of the convex methods: each file here joins it by defining `METHOD`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Sequence
from functools import cache

from dpcore.erm.losses import MARGIN_LOSSES
from dpcore.erm.method import Method
from dpcore.errors import one_of

ORDER = ("nonprivate", "outpert", "opera", "sgdpert", "grpua")
"""The paper's order on screen; methods not named here follow in alphabetical order."""

SOONER = ("dpgd", "inputpert", "objpert", "dpnewton")
"""Methods whose curves come first where all are trained, so that what is best so far stays so.

On the cohort, breast cancer, Heart and Adult, at six ε from 0.03 to 10, the best proved one was
known after three trainings in 21 of 24 cases, in the order of the screen in 11. Chosen on these
results: it is an order of work and selects nothing.
"""

BEST = "best"
"""Stands for the method that `best_method` takes, in studies and estimators."""
FIRST, LATER = "dpgd", "objpert"
LATER_FROM = {True: 100.0, False: 3.0}
"""The ε from which "best" means `LATER`, by whether a class is predicted.

DP-GD stops after 400 steps at most, and at a large ε that costs more than the noise. Chosen once,
on public data (zero-out, δ = 1e-5, one split, 10 to 20 runs, with a constant in the row and
without). On Breast cancer and the synthetic cohort DP-GD was ahead of objective, input and Newton's
perturbation or within a point of them at every ε from 0.1 to 100, but for Breast cancer with a
constant at ε = 0.1, where input perturbation was 3 points ahead. On Diabetes, a number to predict,
it was level with objective perturbation or ahead up to ε = 1, and behind from 10 on; at 3 it was
behind without a constant.
"""


@cache
def register() -> dict[str, Method]:
    """Every method by key, in display order."""
    result = {}
    for module in pkgutil.iter_modules(__path__):
        method: Method = importlib.import_module(f"{__name__}.{module.name}").METHOD
        result[method.key] = method
    rank = {key: index for index, key in enumerate(ORDER)}
    return dict(sorted(result.items(), key=lambda item: (rank.get(item[0], len(rank)), item[0])))


def method_named(key: str) -> Method:
    """The method called `key`."""
    return register()[one_of("method", key, tuple(register()))]


def best_method(loss: str, epsilon: float) -> str:
    """The method that "best" stands for: by public constants, the loss and ε alone.

    It never looks at a record or at a measure. The method's own settings follow from n, d, ε and δ;
    the features are another choice by rule, in n, d, ε, δ and the number of columns
    (`dpcore.datasets.features`).
    """
    return FIRST if epsilon < LATER_FROM[loss in MARGIN_LOSSES] else LATER


def without_best(methods: Sequence[str], loss: str, epsilons: Sequence[float]) -> tuple[str, ...]:
    """The methods, "best" replaced by all that it stands for at one ε or another, each once."""
    best_methods = [best_method(loss, epsilon) for epsilon in epsilons]
    named = [key for method in methods for key in (best_methods if method == BEST else [method])]
    return tuple(dict.fromkeys(named))


def sooner_first(methods: Iterable[str]) -> list[str]:
    """Methods in the order in which they are trained: `SOONER`, then the others as they come."""
    rank = {key: place for place, key in enumerate(SOONER)}
    return sorted(methods, key=lambda key: rank.get(key, len(rank)))


def describe_methods() -> list[dict[str, object]]:
    """The register as plain dictionaries, one per method and edition."""
    return [
        {
            "method": method.key,
            "title": method.title,
            "edition": str(edition),
            "paper": method.paper,
            "idea": method.idea,
            "claim": standing.claim,
            "proof": standing.proof,
            "status": str(standing.status),
            "limits": list(method.limits),
        }
        for method in register().values()
        for edition, standing in method.editions.items()
    ]
