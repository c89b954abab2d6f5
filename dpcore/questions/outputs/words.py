"""Say how outputs from elsewhere stand against what is claimed of them."""

from __future__ import annotations

from dpcore.audit.claim import ClaimTrial
from dpcore.questions.verify import words


def sentence(trial: ClaimTrial) -> str:
    """The trial in a sentence or two."""
    told = words.sentence({**trial.row, "adjacency": "its two worlds"}, "the file")
    return f"{told} Scores are taken to be normal with one variance." if trial.is_normal else told
