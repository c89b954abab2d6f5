"""The question whether a method keeps what is claimed and what is proved of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dpcore.audit.attack import AttackResult, tried
from dpcore.audit.bounds import Verdict, verdict
from dpcore.audit.replay_register import replayed
from dpcore.audit.study import TrialStudy
from dpcore.errors import InvalidInput
from dpcore.guarantee import Edition
from dpcore.progress import Progress
from dpcore.questions.question import Question, records_of
from dpcore.questions.verify.words import NO_PROMISE, replay_sentence, sentence, verdicts

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.audit.attack import Attack


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


QUESTION = VerifyQuestion


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
