"""Where a system stands: what is claimed, what is proved, and of what.

Whatever runs here says so itself: the methods, the trainings, paper 003's accounting. Nothing of
that is written down a second time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from dpcore.accounting import paper_003
from dpcore.accounting.planner import spent
from dpcore.accounting.presets import preset
from dpcore.deep import guarantee as trained
from dpcore.errors import one_of
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.methods import method_named
from dpcore.models.register import model_named
from dpcore.systems.system import Place, Relation, Runnable, System
from dpcore.systems.trainings import TRAININGS

PUBLISHED, HERE = "as published", "as it runs here"
UNCHECKED = "Nothing of it is checked or run here."
CLAIM_UNCHECKED = "The authors' own claim: not checked here."
AS_PRINTED, OUR_FORM = "as printed", "our form"


@dataclass(frozen=True)
class RunnableForm:
    """One form of a system that runs here.

    Parameters
    ----------
    edition : Edition
    claim : str
        What is claimed of it; "" where its register does not say.
    proof : str
    status : Status
    """

    edition: Edition
    claim: str
    proof: str
    status: Status


@dataclass(frozen=True)
class SystemStanding:
    """The verdict on a system.

    Parameters
    ----------
    claim : str
        What is claimed in print.
    proof : str
        What is proved, of `of`.
    status : Status
    of : str
        What proof and status are about: `PUBLISHED`, or only what runs here, `HERE`; "" where
        neither is there.
    sound : RunnableForm or None
        The sound form that runs here; ``None`` where there is none.
    """

    claim: str
    proof: str
    status: Status
    of: str
    sound: RunnableForm | None

    @property
    def claim_unchecked(self) -> bool:
        """Whether the verdict is on what runs here, and none on what is printed."""
        return self.of == HERE

    @property
    def verdict(self) -> str:
        """The status with what it is of, so that no proof passes for one of the printed claim."""
        if self.claim_unchecked:
            return f"{OUR_FORM}: {self.status}"
        proved = self.status is Status.PROVED
        return f"{self.status} {AS_PRINTED}" if proved else str(self.status)


@cache
def forms(run: Runnable) -> tuple[RunnableForm, ...]:
    """What the register of the run's place says, published edition first; none of a relative.

    Raises
    ------
    InvalidInput
        If that place has nothing of the run's key.
    """
    found = _OF[run.place](run.key)
    if run.relation is Relation.ITSELF:
        # A model has one edition: as published where the system runs as it is described.
        return tuple(
            replace(form, edition=Edition.PUBLISHED) if run.place is Place.ATLAS else form
            for form in found
        )
    if run.relation is Relation.SOUND:
        return tuple(form for form in found if form.edition is Edition.SOUND)
    return ()


def standing(system: System) -> SystemStanding:
    """The verdict: on the printed claim where it is known, else on what runs here."""
    found = [form for run in system.runs for form in forms(run)]
    printed = next((form for form in found if form.edition is Edition.PUBLISHED), None)
    sound = next((form for form in found if form.edition is Edition.SOUND), None)
    if printed is not None:
        claim = system.claim or printed.claim
        return SystemStanding(claim, printed.proof, printed.status, PUBLISHED, sound)
    if system.verdict is not None:
        verdict = system.verdict
        return SystemStanding(system.claim, verdict.because, verdict.status, PUBLISHED, sound)
    if sound is not None:
        return SystemStanding(system.claim or sound.claim, sound.proof, sound.status, HERE, sound)
    return SystemStanding(system.claim, UNCHECKED, Status.DESCRIBED_ONLY, "", None)


def _explore(key: str) -> tuple[RunnableForm, ...]:
    return tuple(
        RunnableForm(edition, each.claim, each.proof, each.status)
        for edition, each in method_named(key).editions.items()
    )


def _plan(key: str) -> tuple[RunnableForm, ...]:
    """Paper 003's own accounting, against a certificate under the adjacency of its lemma."""
    training = replace(preset(key).training, adjacency=Adjacency.REPLACE_ONE)
    answer = paper_003.account(training.schedule(), training.rate, training.delta, training.clip)
    status, sentence = paper_003.verdict(answer, spent(training, "pld"))
    return (RunnableForm(Edition.PUBLISHED, "", sentence, status),)


def _train(key: str) -> tuple[RunnableForm, ...]:
    example = TRAININGS[one_of("training", key, tuple(TRAININGS))]
    held = trained.guarantee(example.config, example.records, accountant="rdp")
    printed = held.claim.epsilon is not None
    return (
        RunnableForm(
            Edition.PUBLISHED if printed else Edition.SOUND,
            "",
            held.proof.reason if held.proof.epsilon is None else f"(ε, δ) by {held.proof.by}.",
            held.status,
        ),
    )


def _atlas(key: str) -> tuple[RunnableForm, ...]:
    model = model_named(key)
    return (RunnableForm(model.edition, model.claim, model.proof, model.status),)


_OF = {
    Place.EXPLORE: _explore,
    Place.PLAN: _plan,
    Place.TRAIN: _train,
    Place.ATLAS: _atlas,
}
