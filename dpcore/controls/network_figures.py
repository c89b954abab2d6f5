"""Figures of papers 003 and 004 that Train draws: the values of its controls, by title.

Explore lists the titles, so nothing is imported here that takes its time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dpcore.words import plain

Figure = tuple[int, int]
"""The number of a paper, and of its figure."""
FIRST_TAB, EFFECT_TAB = "Noise schedule", "Effect of a setting"
OF_003 = {
    "dataset": "chest_features",
    "network": "linear",
    "train_delta": 1e-4,
    "lot": 100,
    "rate": 0.2,
    "ratio": 0.99,
    "repeats": 3,
    "person": "zero-out",
    "train_view": FIRST_TAB,
}


def _of_004(epsilon: float, delta: float = 1e-5) -> dict[str, Any]:
    return {
        "dataset": "mnist",
        "units": 128,
        "target_epsilon": epsilon,
        "train_delta": delta,
        "lot": 1_000,
        "rate": min(0.25, 0.25 * math.sqrt(epsilon)),
        "clipping": 4.0,
        "shape": "published-004",
        "afresh": 60,  # steps of an epoch
        "schedule": "constant",
        "repeats": 1,
        "person": "zero-out",
        "train_view": FIRST_TAB,
    }


def _opened(effect: str, gives_way: str) -> dict[str, str]:
    return {"train_view": EFFECT_TAB, "effect": effect, "gives_way": gives_way}


FIGURES: dict[str, tuple[Figure, Mapping[str, Any]]] = {
    **{
        f"Paper 003, figure 1: ε = {plain(epsilon)}": (
            (3, 1),
            {**OF_003, "target_epsilon": epsilon, "passes": 8},
        )
        for epsilon in (2.0, 8.0)
    },
    # So many epochs that the first noise is about the paper's 2.8.
    "Paper 003, figure 2: ε = 8": (
        (3, 2),
        {
            **OF_003,
            **{"target_epsilon": 8.0, "passes": 4, "when": "step"},
            **_opened("decay", "epochs"),
        },
    ),
    **{
        f"Paper 004, figure 3: ε = {plain(epsilon)}": ((4, 3), _of_004(epsilon))
        for epsilon in (0.05, 0.3, 1.0)
    },
    **{
        f"Paper 004, figure 4: ε = {plain(epsilon)}, δ = {plain(delta)}": (
            (4, 4),
            _of_004(epsilon, delta),
        )
        for epsilon, delta in ((0.01, 1e-5), (1.2, 1e-2))
    },
    "Paper 004, figure 5: ε = 0.3": (
        (4, 5),
        {**_of_004(0.3), **_opened("batch", "noise")},
    ),
}
"""The figure, and the settings in which it differs from a first visit."""
