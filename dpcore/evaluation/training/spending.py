"""The ε of a network's training, step by step, and the papers' claims about it."""

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
"""The tightest accountant with a theorem for every way of drawing batches here."""


def assurance(
    config: TrainingConfig, records: int, *, min_noise_ratio: float | None = None
) -> Assurance:
    """The guarantees of a whole training by `ACCOUNTANT`; see `guarantee`."""
    options: dict[str, Any] = (
        {} if min_noise_ratio is None else {"min_noise_ratio": min_noise_ratio}
    )
    return guarantee(config, records, accountant=ACCOUNTANT, **options)


def stands(status: Status, *, system_entropy: bool) -> Status:
    """The verdict on a training's files: proved only where the noise comes from the system."""
    return Status.EXPLORATION if status is Status.PROVED and not system_entropy else status


@dataclass(frozen=True)
class PaperClaim:
    # of the whole training, computed as in the paper; empty where no paper covers it
    claim: Guarantee
    conditions: tuple[Condition, ...]  # of the paper's own proof
    verdict: str


def paper_claim(config: TrainingConfig, records: int, assured: Assurance) -> PaperClaim:
    """Paper 003's tCDP as printed for isotropic noise on a sample; paper 004's for its own."""
    if assured.claim.epsilon is not None:
        return PaperClaim(assured.claim, assured.conditions, assured.proof.reason)
    if config.private and config.noise == "isotropic" and config.sampling != "none":
        run = config.training(records)
        if run.rate < 1.0:
            answer = paper_003.account(run.schedule(), run.rate, run.delta, run.clip)
            _, verdict = paper_003.verdict(answer, assured.certified)
            return PaperClaim(answer.claim, answer.conditions, verdict)
    return PaperClaim(assured.claim, (), assured.claim.reason)


@dataclass(frozen=True)
class EpsilonLedger:
    """The ε spent by one study's training at the end of each epoch."""

    config: TrainingConfig
    records: int
    min_noise_ratio: float
    status: Status
    known: dict[int, Guarantee] = field(default_factory=dict)

    def at(self, steps: int) -> Guarantee:
        """The guarantee after that many steps."""
        if steps not in self.known:
            self.known[steps] = self._along([steps])[0] if steps else self._none("no step yet")
        return self.known[steps]

    def fill(self, marks: Sequence[int], report: Callable[[float], None]) -> None:
        """Compute all at once, which is cheaper; an exception of `report` ends the work."""
        self.known.update(zip(marks, self._along(marks, report), strict=True))

    def _along(
        self, marks: Sequence[int], report: Callable[[float], None] = lambda share: None
    ) -> list[Guarantee]:
        certificate = assurance(
            self.config, self.records, min_noise_ratio=self.min_noise_ratio
        ).certified
        if certificate.epsilon is None:
            return [certificate] * len(marks)
        training = self.config.training(self.records, min_noise_ratio=self.min_noise_ratio)
        return along(training, ACCOUNTANT, marks, report)

    def _none(self, reason: str) -> Guarantee:
        return Guarantee(None, None, Adjacency(self.config.adjacency), "none", reason)
