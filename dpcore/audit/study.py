"""Which promises are put on trial, and how: a pure description."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from dpcore.audit import MAX_OUTPUTS
from dpcore.errors import number, one_of, whole
from dpcore.guarantee import Edition

if TYPE_CHECKING:
    from dpcore.audit.attack import Attack
    from dpcore.audit.court.case import Case

EDITIONS = tuple(map(str, (Edition.SOUND, Edition.PUBLISHED)))
EVERY = ""
"""The name that all methods, models and trainings go by together."""


@dataclass(frozen=True)
class TrialStudy:
    """The promise of a method on trial: outputs on neighbouring data sets, told apart.

    Parameters
    ----------
    method : str
        Key of a method, of a model of the survey, ``training``, ``one-run`` or ``outsider``; "" for
        every one.
    edition : str
        "sound", or "published" for a convex method as its paper prints it.
    epsilon, delta : float, optional
        The budget that is promised; ``None`` for that at which each attack has its power.
    noise_share : float
        Below 1, a copy with so much of the noise is on trial under the same promise.
    outputs : int, optional
        The most outputs on either data set; ``None`` for each attack's own.
    confidence : float
        The least probability that no bound, whenever one stops, exceeds the true ε.
    seed : int
        Seed of the outputs.
    attack : int, optional
        The only one of its method's attacks, from 1; ``None`` for each.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """

    method: str = "opera"
    edition: str = "sound"
    epsilon: float | None = None
    delta: float | None = None
    noise_share: float = 1.0
    outputs: int | None = None
    confidence: float = 0.99
    seed: int = 0
    attack: int | None = None

    def __post_init__(self) -> None:
        from dpcore.audit.register import attacks

        one_of("edition", self.edition, EDITIONS)
        if self.method != EVERY:
            one_of("method", self.method, tuple(attacks(Edition(self.edition))))
        if self.epsilon is not None:
            number("epsilon", self.epsilon, above=0.0, at_most=1_000.0)
        if self.delta is not None:
            number("delta", self.delta, at_least=0.0, below=1.0)
        if self.outputs is not None:
            whole("outputs", self.outputs, at_least=100, at_most=MAX_OUTPUTS)
        number("noise-share", self.noise_share, above=0.0, at_most=1.0)
        number("confidence", self.confidence, at_least=0.5, below=1.0)
        whole("seed", self.seed, at_least=0, at_most=2**31 - 1)
        if self.attack is not None:
            every = replace(self, attack=None).attacks
            whole("attack", self.attack, at_least=1, at_most=len(every))

    @property
    def attacks(self) -> tuple[Attack, ...]:
        """The attacks on its methods."""
        from dpcore.audit.register import attacks

        every = attacks(Edition(self.edition))
        names = every if self.method == EVERY else (self.method,)
        found = tuple(attack for name in names for attack in every[name])
        return found if self.attack is None else found[self.attack - 1 : self.attack]

    @property
    def title(self) -> str:
        """What is on trial."""
        return self.method or "every method"

    entry: ClassVar[None] = None
    upload: ClassVar[str] = ""
    """What is attacked is made up: no records are loaded."""


@dataclass(frozen=True)
class CourtStudy:
    """Published violations on trial, re-enacted: a pure description.

    Parameters
    ----------
    case : str
        Key of a case; "" for every one.
    outputs : int, optional
        On either data set; ``None`` for each case's own.
    seed : int
        Seed of the outputs.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """

    case: str = ""
    outputs: int | None = None
    seed: int = 0

    entry: ClassVar[None] = None
    upload: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if self.case:
            from dpcore.audit.court import cases

            one_of("case", self.case, tuple(cases()))
        if self.outputs is not None:
            whole("outputs", self.outputs, at_least=4, at_most=MAX_OUTPUTS)
        whole("seed", self.seed, at_least=0, at_most=2**31 - 1)

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases that it names."""
        from dpcore.audit.court import cases

        return tuple(each for key, each in cases().items() if self.case in ("", key))

    @property
    def title(self) -> str:
        """What is on trial."""
        return self.case or "every case"
