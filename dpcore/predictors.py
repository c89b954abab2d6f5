"""Everything that predicts, by key: the convex methods, then the survey's models of a class."""

from __future__ import annotations

from functools import cache

from dpcore import methods
from dpcore.erm.losses import MARGIN_LOSSES
from dpcore.erm.method import Method
from dpcore.errors import one_of
from dpcore.models import register as models
from dpcore.models.model import Model

Predictor = Method | Model

SELDOM_BEST = ("noisy-marginals", "online-tree", "pate", "random-forest", "scalable-pate")
"""Models that a comparison of all leaves out unless they are chosen.

On six published sets none of them was the best at any ε, and two of them take longer to train than
all convex methods together.
"""


@cache
def register() -> dict[str, Predictor]:
    """Every predictor by key, in display order."""
    classifiers = {
        key: model for key, model in models.register().items() if model.scores is not None
    }
    return {**methods.register(), **classifiers}


def predictor_named(key: str) -> Predictor:
    """The predictor called `key`."""
    return register()[one_of("method", key, tuple(register()))]


def refusal(key: str, loss: str, predicts: str, *, is_own: bool = False) -> str:
    """Why a predictor cannot learn this, in one plain sentence; "" where it can."""
    predictor = predictor_named(key)
    if isinstance(predictor, Method):
        return predictor.refusal(loss)
    if loss in MARGIN_LOSSES and predicts == "class":
        if predictor.unlabelled and is_own:
            return (
                f"{predictor.title} needs public records, and nobody has named some in this table."
            )
        return ""
    return f"{predictor.title} learns to tell two classes apart only."


def records_power(key: str) -> int:
    """By which power of 1/ε more records make up for a smaller ε."""
    predictor = register().get(key)
    return 2 if isinstance(predictor, Model) and predictor.unlabelled else 1


def titles() -> dict[str, str]:
    """The name on screen of every predictor by key."""
    return {key: predictor.title for key, predictor in register().items()}
