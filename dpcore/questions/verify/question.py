"""The question whether a method keeps what is claimed and what is proved of it, also watched."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dpcore.audit.attack import Attack, AttackResult, tried
from dpcore.audit.bounds import Verdict, verdict
from dpcore.audit.replay_register import replayed
from dpcore.audit.study import TrialStudy
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition
from dpcore.progress import Progress
from dpcore.questions.question import Question, records_of
from dpcore.questions.verify.words import NO_PROMISE, replay_sentence, sentence, verdicts

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class VerifyQuestion(Question):
    """A promise on trial: what is claimed, what is proved, and the ε that an attack proves is lost.

    Outputs of the code that everybody runs are drawn on two neighbouring data sets and told apart.
    The bound holds at its confidence wherever one stops.

    Parameters
    ----------
    study : TrialStudy
        It names the method, the budget, the share of the noise and how many outputs are drawn.

    Notes
    -----
    One row an attack. `claimed` and `proved` are ε at `delta`, `attacked` is the lower bound,
    `outputs` how many were drawn on either data set. With fewer than `needed` nothing can be
    decided; where outputs are normal, with fewer half of the noise is missed every second time. A
    promise that is refuted is not tried further. First the method is replayed on neighbours with
    its noise frozen, at ε = 0.9 and without statistics: `replayed` counts the calls of noise, and
    `moved` is how far a record moves what one is added to, at most, as a share of what is claimed.
    Where that is too far, or bypasses the noise, there are `alarms`, and `alarm` is the first.
    """

    study: TrialStudy = field(default_factory=TrialStudy)

    doing = "Trying promises"
    table_is = "Each attack, with what is claimed, proved and lost"
    of_table = False
    is_long = True
    examples = ("--method opera --epsilon 1",)

    def load(self) -> Any:
        return self.study

    def rows(self, records: Any, report: Progress) -> pd.DataFrame:
        import pandas as pd

        study, rows = self.study, []
        attacks = study.attacks
        report(0.0, "replaying")
        names = dict.fromkeys(attack.method for attack in attacks)
        replays = {name: replayed_of(study, name) for name in names}
        for place, attack in enumerate(attacks):
            report(place / len(attacks), f"attacking {attack.method}")
            row = {}
            try:
                for result in trial(study, attack):
                    row = row_of(result)
                    share = result.runs / (study.outputs or attack.runs)
                    report((place + share) / len(attacks), f"attacking {attack.method}")
            except InvalidInput as refused:
                # Of several attacks some have their proof at other budgets.
                if len(attacks) == 1:
                    raise
                row = nothing_to_try(attack, str(refused))
            rows.append(row | replays[attack.method])
        if all(row["verdict"] == NO_PROMISE for row in rows):
            raise InvalidInput(rows[0]["why"])
        return pd.DataFrame(rows)

    def fails(self, rows: pd.DataFrame) -> bool:
        """Say whether something that is proved was refuted, or raised an alarm, as the code is."""
        alarms = self.study.noise_share == 1.0 and rows["alarms"].any()
        return bool(rows["proof_refuted"].any() or alarms)

    def beside(self, table: pd.DataFrame) -> dict[str, Any]:
        rows = records_of(table)
        told = [f"{row['method']}: {replay_sentence(row)}" for row in rows if "moved" in row]
        told = [*dict.fromkeys(told), *(sentence(row) for row in rows)]
        if len(rows) > 1:
            told.append(verdicts(rows))
        return {"beaten": self.fails(table), "note": "\n".join(told)}


@dataclass(frozen=True)
class ReplayQuestion(VerifyQuestion):
    """What a replay of its method alone shows, in one row."""

    doing = "Replaying"

    def rows(self, records: Any, report: Progress) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame([replayed_of(self.study, self.study.method)])


def replayed_of(study: TrialStudy, method: str) -> dict[str, Any]:
    """What replays of a method show; there are none of an edition in print."""
    is_sound = study.edition == Edition.SOUND
    return replayed(method, study.noise_share) if is_sound else {"replayed": 0, "alarms": 0}


def trial(study: TrialStudy, attack: Attack) -> Iterator[AttackResult]:
    """What an attack has proved, after each block of outputs."""
    return tried(
        attack,
        epsilon=study.epsilon,
        delta=study.delta,
        runs=study.outputs,
        noise_share=study.noise_share,
        confidence=study.confidence,
        seed=study.seed,
    )


def row_of(result: AttackResult) -> dict[str, Any]:
    """A trial as far as it is."""
    promise, claim, proof = result.promise, result.claim, result.proof
    beaten = verdict(result.lower_bound, proof.bound, result.runs, result.needed)
    return {
        "method": result.method,
        "edition": str(result.edition),
        "claimed": None if claim is None else claim.epsilon,
        "proved": proof.epsilon,
        "attacked": result.lower_bound,
        "ratio": result.lower_bound / promise.bound,
        "verdict": str(result.verdict),
        "proof_refuted": result.noise_share == 1.0 and beaten is Verdict.REFUTED,
        "confidence": result.confidence,
        "delta": promise.delta,
        "adjacency": str(promise.adjacency),
        "outputs": result.runs,
        "needed": result.needed,
        "seconds": result.seconds,
        "noise_share": result.noise_share,
        "proved_by": proof.by,
        "bound_by": result.by,
        "attack": result.about,
        "why": "",
    }


def nothing_to_try(attack: Attack, why: str) -> dict[str, Any]:
    """An attack whose method proves nothing at this budget."""
    return {
        "method": attack.method,
        "edition": str(attack.edition),
        "verdict": NO_PROMISE,
        "proof_refuted": False,
        "attack": attack.about,
        "why": why,
    }


class LiveTrial:
    """A method attacked, that can be watched, stopped and gone on with, block by block.

    One attack after another draws, until one refutes.
    """

    def __init__(self, study: TrialStudy) -> None:
        self.study = study
        self.attack = study.attacks[0]
        self.bounds: list[tuple[int, float]] = []  # outputs on either data set, and lower bounds
        self.last: AttackResult | None = None
        self._steps, self._lock = self._tried(), threading.Lock()

    def _tried(self) -> Iterator[AttackResult]:
        for attack in self.study.attacks:
            self.attack, self.bounds = attack, []
            for result in trial(self.study, attack):
                yield result
                if result.flagged:
                    return

    def go(self, report: Progress) -> AttackResult:
        """Draw on until it is decided, or all outputs are drawn; `report` may stop it."""
        with self._lock:
            for result in self._steps:
                self.last = result
                self.bounds.append((result.runs, result.lower_bound))
                report(result.runs / self.most, "Drawing outputs")
        if self.last is None:
            raise InvalidInput(f"{self.attack.method} could not be tried.")
        return self.last

    @property
    def which(self) -> str:
        """Which of the method's attacks this is."""
        every = replace(self.study, attack=None).attacks
        number = self.study.attack or every.index(self.attack) + 1
        return f"Attack {number} of {len(every)}"

    @property
    def most(self) -> int:
        """The most outputs that are drawn on either data set."""
        return self.study.outputs or self.attack.runs

    @property
    def row(self) -> dict[str, object] | None:
        """How it stands, as a row of the question's table."""
        return None if self.last is None else row_of(self.last)


def usual_attack(study: TrialStudy) -> int:
    """The number of the attack to watch: under zero-out and by normal scores, where there is one.

    From 1; of several such it is the first.
    """

    def rank(attack: Attack) -> tuple[bool, bool]:
        return attack.adjacency is Adjacency.ZERO_OUT, attack.gaussian

    ranks = [rank(attack) for attack in study.attacks]
    return ranks.index(max(ranks)) + 1


QUESTION = VerifyQuestion
