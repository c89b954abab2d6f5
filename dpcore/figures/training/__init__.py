"""A training's figures: how it learns, how its noise and its ε run, and what cost accuracy."""

from dpcore.figures.training.lines import course, learning
from dpcore.figures.training.series import AXES, METRICS, MOST_RUNS, SERIES, lost, runs, shown
from dpcore.figures.training.why import why

__all__ = [
    "AXES",
    "METRICS",
    "MOST_RUNS",
    "SERIES",
    "course",
    "learning",
    "lost",
    "runs",
    "shown",
    "why",
]
