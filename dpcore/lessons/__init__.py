"""Seven short lessons on privacy and noise: guess, then see the true curve, then change it."""

from __future__ import annotations

from dpcore.lessons import claim_and_attack, on_counts, on_the_cohort, randomised_response
from dpcore.lessons.lesson import Lesson

LESSONS: tuple[Lesson, ...] = (
    on_counts.WHY_NOISE,
    on_counts.HALVING,
    on_the_cohort.SIZE,
    on_counts.REPEATED_ANSWERS,
    claim_and_attack.LESSON,
    on_the_cohort.SMALL_GROUPS,
    randomised_response.LESSON,
)
