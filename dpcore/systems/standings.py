"""The standing of a system, read from what runs here: its claim, its proof, and their form.

Trainings of networks that stand for systems are the starting points of Train.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from dpcore.accounting import paper_003
from dpcore.accounting.paper_003 import preset
from dpcore.accounting.planner import spent
from dpcore.deep import config as trained
from dpcore.deep.config import TrainingConfig
from dpcore.erm.methods import method_named
from dpcore.errors import one_of
from dpcore.guarantee import STATUS_NAMES, Adjacency, Described, Edition, Status
from dpcore.models.systems import model_named
from dpcore.systems.system import Place, Relation, Runnable, System

PUBLISHED, HERE = "as published", "as it runs here"
UNCHECKED = "Nothing of it is checked or run here."
CLAIM_UNCHECKED = "The authors' own claim: not checked here."
OUR_FORM = "our corrected version"
NOT_CHECKED = "Not checked here: neither proved nor refuted."
IN_SHORT = {
    Status.PROVED: "Holds as it is printed.",
    Status.CONDITIONS_NOT_MET: "Holds only under conditions that are not met.",
    Status.CLAIM_NOT_SUPPORTED: "Not proved as it is printed.",
}
"""The verdict on what is printed where nobody has put it in words."""
OURS_PROVED = "Proved for our corrected version; the authors' own claim was not checked."


@dataclass(frozen=True)
class Example:
    # built in, so that it can be run without the network
    dataset: str
    features: str
    # n of that set's training records, for accounting
    records: int
    # its σ is a placeholder: Train solves for it
    config: TrainingConfig


def _digits(config: TrainingConfig, features: str = "raw") -> Example:
    return Example("digits", features, 1_437, config)


_SGD = TrainingConfig(widths=(64,), epochs=30)

TRAININGS = {
    "dp-sgd": _digits(_SGD),
    "decaying": _digits(TrainingConfig(widths=(64,), epochs=30, decay=0.95)),
    "scaled": _digits(TrainingConfig(widths=(64,), epochs=30, noise="scaled")),
    "published-004": _digits(TrainingConfig(widths=(64,), epochs=30, noise="published-004")),
    "scattering": _digits(TrainingConfig(network="linear", epochs=30), "scattering"),
    "network-000": Example(
        "heart", "raw", 237, TrainingConfig(epochs=50, batch=64, learning_rate=0.2)
    ),
}
"""By key."""


@dataclass(frozen=True)
class RunnableForm:
    edition: Edition
    # "" where its register has none
    claim: str
    proof: str
    status: Status


@dataclass(frozen=True)
class SystemStanding:
    """The verdict on a system."""

    # one sentence, the same wherever the claim is shown
    verdict: str
    claim: str
    proof: str
    status: Status
    # the subject of proof and status: `PUBLISHED`, or only the form that runs here, `HERE`; ""
    # where there is neither
    of: str
    # `None` where no sound form runs here
    sound: RunnableForm | None

    @property
    def claim_unchecked(self) -> bool:
        """Whether the verdict is on the form that runs here, and none on the printed one."""
        return self.of == HERE

    @property
    def label(self) -> str:
        """The status in few words, with its subject: no proof passes for one of the claim."""
        words = STATUS_NAMES.get(self.status, str(self.status))
        if self.claim_unchecked:
            return f"{words} ({OUR_FORM})"
        return f"{words} as printed" if self.status is Status.PROVED else words


@cache
def forms(run: Runnable) -> tuple[RunnableForm, ...]:
    """The forms in the register of the run's place, published edition first; none of a relative."""
    registered = _OF[run.place](run.key)
    if run.relation is Relation.ITSELF:
        # A model has one edition: as published where the system runs as it is described.
        return tuple(
            replace(form, edition=Edition.PUBLISHED) if run.place is Place.ATLAS else form
            for form in registered
        )
    if run.relation is Relation.SOUND:
        return tuple(form for form in registered if form.edition is Edition.SOUND)
    return ()


def standing(system: System) -> SystemStanding:
    """The verdict: on the printed claim where there is one, else on the form that runs here."""
    runnable = [form for run in system.runs for form in forms(run)]
    printed = next((form for form in runnable if form.edition is Edition.PUBLISHED), None)
    sound = next((form for form in runnable if form.edition is Edition.SOUND), None)
    if printed is not None:
        claim = system.claim or printed.claim
        verdict = system.in_short or IN_SHORT.get(printed.status, NOT_CHECKED)
        return SystemStanding(verdict, claim, printed.proof, printed.status, PUBLISHED, sound)
    if system.verdict is not None:
        judged = system.verdict
        return SystemStanding(
            system.in_short, system.claim, judged.because, judged.status, PUBLISHED, sound
        )
    if sound is not None:
        claim = system.claim or sound.claim
        return SystemStanding(OURS_PROVED, claim, sound.proof, sound.status, HERE, sound)
    return SystemStanding(NOT_CHECKED, system.claim, UNCHECKED, Status.DESCRIBED_ONLY, "", None)


def _described(what: Described) -> tuple[RunnableForm, ...]:
    return tuple(
        RunnableForm(edition, one.claim, one.proof, one.status)
        for edition, one in what.editions.items()
    )


def _plan(key: str) -> tuple[RunnableForm, ...]:
    """Paper 003's own accounting in both readings, each against a certificate."""
    training = replace(preset(key).training, adjacency=Adjacency.REPLACE_ONE)
    run = (training.schedule(), training.rate, training.delta, training.clip)
    literal = paper_003.account(*run, averaged=training.batch)
    on_mean, mean = paper_003.verdict(literal, spent(training.noise_on_mean(), "pld"))
    on_sum, total = paper_003.verdict(paper_003.account(*run), spent(training, "pld"))
    return (
        RunnableForm(
            Edition.PUBLISHED,
            "",
            f"Noise on the mean, as Algorithm 1 prints it: {mean} Noise on the sum, as equations "
            f"(3) and (4) count it: {total}",
            on_sum if on_sum is on_mean else Status.CONDITIONS_NOT_MET,
        ),
    )


def _train(key: str) -> tuple[RunnableForm, ...]:
    example = TRAININGS[one_of("training", key, tuple(TRAININGS))]
    trained_guarantee = trained.guarantee(example.config, example.records, accountant="rdp")
    printed = trained_guarantee.claim.epsilon is not None
    return (
        RunnableForm(
            Edition.PUBLISHED if printed else Edition.SOUND,
            "",
            trained_guarantee.proof.reason
            if trained_guarantee.proof.epsilon is None
            else f"(ε, δ) by {trained_guarantee.proof.by}.",
            trained_guarantee.status,
        ),
    )


_OF: Mapping[Place, Callable[[str], tuple[RunnableForm, ...]]] = {
    Place.EXPLORE: lambda key: _described(method_named(key)),
    Place.PLAN: _plan,
    Place.TRAIN: _train,
    Place.ATLAS: lambda key: _described(model_named(key)),
}
