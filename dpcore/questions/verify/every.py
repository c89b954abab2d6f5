"""Every method on trial: the best that any attack has shown so far, of what was tried here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

import pandas as pd

from dpcore.audit.attack import Attack
from dpcore.audit.register import attacks
from dpcore.audit.study import TrialStudy
from dpcore.errors import InvalidInput
from dpcore.guarantee import Edition
from dpcore.questions.question import records_of
from dpcore.questions.verify.question import VerifyQuestion
from dpcore.questions.verify.words import NO_PROMISE, SOUND

NOT_TRIED = "not tried here"
COLUMNS = (
    "method",
    "edition",
    "claimed",
    "proved",
    "attacked",
    "ratio",
    "verdict",
    "confidence",
    "delta",
    "adjacency",
    "proved_by",
    "bound_by",
    "tries",
    "outputs",
    "seconds",
    "tried_at",
    "attack_number",
    "attack",
)


@dataclass(frozen=True)
class Try:
    """A trial of one method that has ended: the rows of its question, and when that was."""

    rows: pd.DataFrame
    ended: datetime


@cache
def first_tries() -> tuple[VerifyQuestion, ...]:
    """Ask of every method, model and training whether it keeps its promise, and as printed."""
    return tuple(
        VerifyQuestion(TrialStudy(method=method, edition=str(edition)))
        for edition in (Edition.SOUND, Edition.PUBLISHED)
        for method, every in attacks(edition).items()
        if edition is Edition.SOUND or any(map(_claims, every))
    )


def _claims(attack: Attack) -> bool:
    """Say whether anything is claimed where it is attacked: of some papers no ε is left."""
    try:
        attack.aim(attack.epsilon, attack.delta)
    except InvalidInput:
        return False
    return True


def further_tries(question: VerifyQuestion) -> Iterator[VerifyQuestion]:
    """Ask it again and again, each time of other outputs."""
    study = question.study
    for seed in range(study.seed, 2**31):
        yield VerifyQuestion(replace(study, seed=seed))


def titled(question: VerifyQuestion, titles: Mapping[str, str]) -> str:
    """Name what it tries on screen, by the methods' titles."""
    study = question.study
    return titles[study.method] + ("" if study.edition == SOUND else ", as printed")


def table(tries: Mapping[VerifyQuestion, Sequence[Try]], titles: Mapping[str, str]) -> pd.DataFrame:
    """The best attack on each method, a row a method; empty where it was not tried.

    Of so many trials each bound may be too high: the confidence is that of none being.
    """
    rows = [
        {
            "method": titled(question, titles),
            "edition": question.study.edition,
            **(_best(ended) if ended else {"verdict": NOT_TRIED, "tries": 0}),
        }
        for question, ended in tries.items()
    ]
    return pd.DataFrame(rows).reindex(columns=list(COLUMNS))


def _best(tries: Sequence[Try]) -> dict[str, Any]:
    every = [
        (row | {"attack_number": place}, each.ended)
        for each in tries
        for place, row in enumerate(records_of(each.rows), start=1)
    ]
    told = [(row, ended) for row, ended in every if row["verdict"] != NO_PROMISE]
    best, ended = max(told, key=lambda found: found[0]["ratio"])
    return {
        **{name: best[name] for name in COLUMNS if name in best and name != "method"},
        "confidence": max(0.0, 1.0 - math.fsum(1.0 - row["confidence"] for row, _ in told)),
        "tries": len(tries),
        "outputs": sum(int(row["outputs"]) for row, _ in told),
        "seconds": math.fsum(row["seconds"] for row, _ in told),
        "tried_at": ended.isoformat(sep=" ", timespec="minutes"),
    }
