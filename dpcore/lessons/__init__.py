"""Seven short lessons on privacy and noise: guess, then see the true curve, then change it."""

from __future__ import annotations

from dpcore.lessons import (
    claim_and_attack,
    halving,
    randomised_response,
    repeated_answers,
    size,
    small_groups,
    why_noise,
)
from dpcore.lessons.lesson import Lesson

LESSONS: tuple[Lesson, ...] = (
    why_noise.LESSON,
    halving.LESSON,
    size.LESSON,
    repeated_answers.LESSON,
    claim_and_attack.LESSON,
    small_groups.LESSON,
    randomised_response.LESSON,
)
