"""A training's figures: how it learns, its noise and ε, what cost accuracy, what a setting does."""

from dpcore.figures.training.ablation import ablation
from dpcore.figures.training.cost import cost, cost_table, in_words, parted
from dpcore.figures.training.effects import effect, written
from dpcore.figures.training.lines import epsilon_schedule, large_first_noise, learning
from dpcore.figures.training.series import (
    AXES,
    MAX_RUNS,
    METRICS,
    REPETITION,
    SERIES,
    lost,
    runs,
    shown,
)
from dpcore.figures.training.time import about, in_time

__all__ = [
    "AXES",
    "MAX_RUNS",
    "METRICS",
    "REPETITION",
    "SERIES",
    "ablation",
    "about",
    "cost",
    "cost_table",
    "effect",
    "epsilon_schedule",
    "in_time",
    "in_words",
    "large_first_noise",
    "learning",
    "lost",
    "parted",
    "runs",
    "shown",
    "written",
]
