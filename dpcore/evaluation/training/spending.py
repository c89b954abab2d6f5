"""What a training of a network spends, step by step, and what papers say it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpcore.accounting import paper_003
from dpcore.accounting.epsilon_curve import along
from dpcore.deep.config import TrainingConfig
from dpcore.deep.guarantee import Assurance, guarantee
from dpcore.guarantee import Adjacency, Condition, Guarantee, Status

ACCOUNTANT = "pld"
"""It has a theorem for every way of drawing batches here, and is the tightest of those that do."""


def assurance(
    config: TrainingConfig, records: int, *, min_noise_ratio: float | None = None
) -> Assurance:
    """What holds of a whole training by `ACCOUNTANT`; see `guarantee`."""
    named: dict[str, Any] = {} if min_noise_ratio is None else {"min_noise_ratio": min_noise_ratio}
    return guarantee(config, records, accountant=ACCOUNTANT, **named)


def stands(status: Status, *, system_entropy: bool) -> Status:
    """The verdict on what a training leaves: proved only where its noise comes from the system.

    Parameters
    ----------
    status : Status
        Of the noise, whoever draws it.
    system_entropy : bool
        Whether batches and noise were drawn from the operating system's entropy.
    """
    return Status.EXPLORATION if status is Status.PROVED and not system_entropy else status


@dataclass(frozen=True)
class PaperClaim:
    """What a paper says of a training, and whether it stands.

    Parameters
    ----------
    claim : Guarantee
        Of the whole training, computed as the paper computes it; empty where none speaks of it.
    conditions : tuple of Condition
        Of the paper's own proof.
    verdict : str
        One plain sentence.
    """

    claim: Guarantee
    conditions: tuple[Condition, ...]
    verdict: str


def paper_claim(config: TrainingConfig, records: int, found: Assurance) -> PaperClaim:
    """Paper 003's tCDP as printed for isotropic noise on a sample, paper 004's claim for its own.

    Parameters
    ----------
    config : TrainingConfig
        Its σ settled.
    records : int
        n.
    found : Assurance
        From `assurance`.
    """
    if found.claim.epsilon is not None:
        return PaperClaim(found.claim, found.conditions, found.proof.reason)
    if config.private and config.noise == "isotropic" and config.sampling != "none":
        run = config.training(records)
        if run.rate < 1.0:
            answer = paper_003.account(run.schedule(), run.rate, run.delta, run.clip)
            _, verdict = paper_003.verdict(answer, found.certified)
            return PaperClaim(answer.claim, answer.conditions, verdict)
    return PaperClaim(found.claim, (), found.claim.reason)


@dataclass(frozen=True)
class EpsilonLedger:
    """What one study's training has spent at the end of each epoch."""

    config: TrainingConfig
    records: int
    min_noise_ratio: float
    status: Status
    known: dict[int, Guarantee] = field(default_factory=dict)

    def at(self, steps: int) -> Guarantee:
        """After that many steps."""
        if steps not in self.known:
            self.known[steps] = self._along([steps])[0] if steps else self._none("no step yet")
        return self.known[steps]

    def fill(self, marks: Sequence[int], report: Callable[[float], None]) -> None:
        """All at once, which is cheaper than one by one; what `report` raises ends the work."""
        self.known.update(zip(marks, self._along(marks, report), strict=True))

    def _along(
        self, marks: Sequence[int], report: Callable[[float], None] = lambda share: None
    ) -> list[Guarantee]:
        whole = assurance(self.config, self.records, min_noise_ratio=self.min_noise_ratio).certified
        if whole.epsilon is None:
            return [whole] * len(marks)
        training = self.config.training(self.records, min_noise_ratio=self.min_noise_ratio)
        return along(training, ACCOUNTANT, marks, report)

    def _none(self, reason: str) -> Guarantee:
        return Guarantee(None, None, Adjacency(self.config.adjacency), "none", reason)
