"""The ε that one more model may have, beside all that an account holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dpcore.accounting.account import Statement, with_noise
from dpcore.accounting.entries import AccountEntry
from dpcore.errors import InvalidInput
from dpcore.progress import Progress, section, silent

KINDS = ("dpgd", "decision-tree", "objpert")
"""A method of each kind of proof: Gaussian noise, pure ε, (ε, δ) alone."""


@dataclass(frozen=True)
class ModelRoom:
    """What is left for one model of a method."""

    method: str  # key of `dpcore.predictors`
    entry: AccountEntry | None  # at the largest ε that fits, rounded down
    reason: str = ""  # why there is none, in one sentence


def model_rooms(
    statement: Statement, methods: Sequence[str] = KINDS, progress: Progress = silent
) -> tuple[ModelRoom, ...]:
    """The largest ε of one more model, by method."""
    part = 1.0 / max(1, len(methods))
    return tuple(
        _model_room(statement, method, section(progress, place * part, part))
        for place, method in enumerate(methods)
    )


def _model_room(statement: Statement, method: str, progress: Progress) -> ModelRoom:
    try:
        wanted = AccountEntry("model", share=1.0, method=method)
        account = replace(statement.account, entries=(*statement.entries, wanted))
        return ModelRoom(method, with_noise(account, progress)[-1])
    except InvalidInput as refusal:
        return ModelRoom(method, None, str(refusal))
