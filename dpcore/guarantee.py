"""Budget, adjacency, condition, claim and proof; a claim and a proof never share a field."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from dpcore.errors import number
from dpcore.words import at_most, plain, spaced

SMALLEST_DELTA = 1e-300
"""Below it a δ is soon no normal double, and an ε computed from it may be too small."""


class Adjacency(StrEnum):
    """Which pairs of data sets a guarantee compares."""

    ADD_REMOVE = "add-remove"
    ZERO_OUT = "zero-out"
    REPLACE_ONE = "replace-one"

    @property
    def difference(self) -> str:
        """The difference of the two data sets, in few words."""
        return {
            Adjacency.ADD_REMOVE: "one record more or less",
            Adjacency.ZERO_OUT: "one record blanked out",
            Adjacency.REPLACE_ONE: "one record replaced",
        }[self]

    def of(self, part: str) -> str:
        """The difference within one part of the records, where the others are not protected."""
        return f"{self.difference}, of the {part}"

    @property
    def meaning(self) -> str:
        """One plain sentence for the screen."""
        return {
            Adjacency.ADD_REMOVE: (
                "One record more or less; every rate, step count and divisor comes from a public "
                "size."
            ),
            Adjacency.ZERO_OUT: (
                "One person's record is blanked out; the number of records is public."
            ),
            Adjacency.REPLACE_ONE: (
                "One record is exchanged for any other; the number of records is public."
            ),
        }[self]


SAME_FIGURE = (
    "The literature prints the same figure under add/remove. A record's contribution is removed, "
    "and every rate, step count and divisor is public."
)
"""How an ε under zero-out relates to one printed under add/remove."""


class Edition(StrEnum):
    """As the paper prints it, or with the sensitivity, conditions and accounting that hold."""

    PUBLISHED = "published"
    SOUND = "sound"


class Status(StrEnum):
    """The verdict on one calibration, or on a system. Exactly one applies."""

    PROVED = "proved"
    EXPLORATION = "exploration only"
    CONDITIONS_NOT_MET = "conditions not met"
    CLAIM_NOT_SUPPORTED = "claim not supported"
    NOT_PRIVATE = "not private"
    DESCRIBED_ONLY = "described only"


STATUS_NAMES: dict[str, str] = {Status.CLAIM_NOT_SUPPORTED: "promises too much"}
"""The words on screen of a status that has others than those in files."""

EDITION_NAMES: dict[str, str] = {Edition.SOUND: "corrected", Edition.PUBLISHED: "as in the paper"}
"""The words on screen of an edition."""


@dataclass(frozen=True)
class PrivacyBudget:
    """The requested (ε, δ).

    Parameters
    ----------
    epsilon : float
        Privacy loss bound, above 0.
    delta : float
        Probability with which the bound may fail, in [0, 1).
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", number("epsilon", self.epsilon, above=0.0))
        object.__setattr__(self, "delta", number("delta", self.delta, at_least=0.0, below=1.0))


def default_delta(records: int) -> float:
    """δ by rule: 1e-5, or the largest power of ten at most 1/(10n) where that is smaller."""
    return min(1e-5, 10.0 ** math.floor(-math.log10(10.0 * records)))


def large_delta(delta: float, records: int) -> str:
    """A warning of a δ of 1/n or more, and "" of a smaller one."""
    if records * delta < 1.0:
        return ""
    return (
        f"δ = {plain(delta)} is at least 1/n. A method may publish one of the {spaced(records)} "
        "records at random and still keep this promise. Choose a smaller δ."
    )


@dataclass(frozen=True)
class Condition:
    """One hypothesis of a theorem, checked."""

    text: str  # with the values it was checked at, e.g. "ε < 1 (ε = 2)"
    met: bool
    consequence: str = ""  # when unmet: one plain sentence for the screen
    assumed: bool = False  # it holds by the user's own statement: nothing here can check it


def verdicts(conditions: Sequence[Condition]) -> list[dict[str, str | bool]]:
    """Each condition: whether it is met, whether that is the user's assumption, and why not."""
    return [
        {
            "condition": condition.text,
            "met": condition.met,
            "assumed": condition.assumed,
            "why": "" if condition.met else condition.consequence,
        }
        for condition in conditions
    ]


@dataclass(frozen=True)
class Guarantee:
    """An (ε, δ) statement with its theorem or accountant.

    Parameters
    ----------
    epsilon, delta : float or None
        The statement; ``None`` where there is none (then `reason` says why).
        ``math.inf`` stands for "no finite ε".
    adjacency : Adjacency
        Which neighbouring data sets it covers.
    by : str
        The theorem or the accountant.
    reason : str
        Why it is empty, or vacuous; otherwise "".
    advantage : float, optional
        The largest TPR - FPR of any attack by the trade-off function of the noise itself, where
        that is known; it is at most what (ε, δ) allows, and mostly less.
    mu : float, optional
        μ of Gaussian DP where both errors of an attack are at least δ, where the noise is known.
    """

    epsilon: float | None
    delta: float | None
    adjacency: Adjacency
    by: str
    reason: str = ""
    advantage: float | None = None
    mu: float | None = None

    @property
    def bound(self) -> float:
        """ε, or infinity where there is none."""
        return math.inf if self.epsilon is None else self.epsilon

    @property
    def vacuous(self) -> bool:
        """Whether the statement holds for every algorithm (δ ≥ 1) and so says nothing."""
        return self.delta is not None and self.delta >= 1.0

    @property
    def statement(self) -> str:
        """ε, δ, adjacency and accountant in one line, or why there is no number."""
        if self.epsilon is None:
            return f"No number. {self.reason}".strip()
        sentence = f"ε = {at_most(self.epsilon)}"
        if self.delta is not None:
            sentence += f", δ = {at_most(self.delta)}"
            if self.vacuous:
                sentence += " (vacuous: δ ≥ 1 holds for every algorithm)"
        tail = f" {self.reason}" if self.reason else ""
        return f"{sentence} · {self.adjacency} · {self.by}.{tail}"


def proved_under(
    conditions: Iterable[Condition],
    budget: PrivacyBudget,
    adjacency: Adjacency,
    by: str,
    *,
    pure: bool = False,
) -> Guarantee:
    """What a theorem proves: the budget, or nothing where a condition is unmet, and why."""
    unmet = [condition for condition in conditions if not condition.met]
    if unmet:
        return Guarantee(None, None, adjacency, by, " ".join(one.consequence for one in unmet))
    return Guarantee(budget.epsilon, 0.0 if pure else budget.delta, adjacency, by)


def not_in_print(adjacency: Adjacency, reason: str = "This edition is not in print.") -> Guarantee:
    """The empty claim of what no paper describes."""
    return Guarantee(None, None, adjacency, "no paper", reason)


def verdict(proof: Guarantee) -> Status:
    """The verdict on a calibration by its proof: without one, a condition is not met."""
    return Status.CONDITIONS_NOT_MET if proof.epsilon is None else Status.PROVED


@dataclass(frozen=True)
class Standing:
    """Claim, proof and verdict of one edition."""

    proof: str
    status: Status
    claim: str = "None: this edition is not in print."


@dataclass(frozen=True, kw_only=True)
class Described:
    """The description of a way to learn.

    Parameters
    ----------
    key, title : str
        Name in code and links, and name on screen.
    paper : str
        Its source.
    idea : str
        One plain sentence.
    words : str
        What it is, in a few words for someone who knows none of the titles.
    editions : dict of Edition to Standing
        The editions that exist, each with its claim, its proof and the standing verdict.
    limits : tuple of str
        Limitations to know before use, a sentence each.
    """

    key: str
    title: str
    paper: str
    idea: str
    words: str = ""
    editions: dict[Edition, Standing]
    limits: tuple[str, ...] = ()

    @property
    def description(self) -> dict[str, Any]:
        """All of it by name, for another that is described alike."""
        return {field.name: getattr(self, field.name) for field in fields(Described)}
