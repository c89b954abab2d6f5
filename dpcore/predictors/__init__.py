"""Everything that predicts, by key: the convex methods, then the survey's models of a class."""

from __future__ import annotations

from functools import cache

from dpcore.erm import methods
from dpcore.errors import one_of
from dpcore.models import systems as models
from dpcore.predictors.columns import ColumnPredictor
from dpcore.predictors.linear import LinearPredictor
from dpcore.predictors.predictor import Noise as Noise
from dpcore.predictors.predictor import Predictor as Predictor
from dpcore.predictors.predictor import PublicShape as PublicShape
from dpcore.predictors.predictor import Sample as Sample

SELDOM_BEST = ("noisy-marginals", "online-tree", "pate", "random-forest", "scalable-pate")
"""Models that a comparison of all leaves out unless they are chosen.

On six published sets none of them was the best at any ε, and two of them take longer to train than
all convex methods together.
"""


@cache
def register() -> dict[str, Predictor]:
    """Every predictor by key, in display order."""
    return {
        **{key: LinearPredictor.of(method) for key, method in methods.register().items()},
        **{
            key: ColumnPredictor.of(model)
            for key, model in models.register().items()
            if model.scores is not None
        },
    }


def predictor_named(key: str) -> Predictor:
    """The predictor called `key`."""
    return register()[one_of("method", key, tuple(register()))]


def refusal(key: str, loss: str, predicts: str, *, is_own: bool = False) -> str:
    """Why a predictor cannot learn this, in one plain sentence; "" where it can."""
    return predictor_named(key).refusal(loss, predicts, is_own=is_own)


def titles() -> dict[str, str]:
    """The name on screen of every predictor by key."""
    return {key: predictor.title for key, predictor in register().items()}
