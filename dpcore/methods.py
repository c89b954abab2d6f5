"""The register: every method, its claim, its proof, its status.

A file in `dpcore.erm.methods` joins it by defining `METHOD`.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from dpcore.erm import methods as method_files
from dpcore.erm.method import Method
from dpcore.errors import one_of

ORDER = ("nonprivate", "outpert", "opera", "sgdpert", "grpua")
"""The paper's order on screen; methods not named here follow in alphabetical order."""


@cache
def register() -> dict[str, Method]:
    """Every method by key, in display order."""
    result = {}
    for module in pkgutil.iter_modules(method_files.__path__):
        method: Method = importlib.import_module(f"{method_files.__name__}.{module.name}").METHOD
        result[method.key] = method
    rank = {key: index for index, key in enumerate(ORDER)}
    return dict(sorted(result.items(), key=lambda item: (rank.get(item[0], len(rank)), item[0])))


def method_named(key: str) -> Method:
    """The method called `key`.

    Raises
    ------
    InvalidInput
        If there is none.
    """
    return register()[one_of("method", key, tuple(register()))]


def titles() -> dict[str, str]:
    """The name on screen of every method by key."""
    return {key: method.title for key, method in register().items()}


def in_words(key: str) -> str:
    """What a method is, and its title in brackets."""
    method = method_named(key)
    return f"{method.words} ({method.title})"


def describe() -> list[dict[str, object]]:
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
