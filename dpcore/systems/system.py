"""What a system of the literature is: what it does, what it claims, who keeps it, how it broke."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dpcore.guarantee import Status


class Family(StrEnum):
    """What kind of system it is."""

    MECHANISM = "mechanisms and accounting"
    SUPERVISED = "Bayes, trees and boosting"
    UNSUPERVISED = "clusters and components"
    ONLINE = "online learning"
    ERM = "regression and SVM"
    DISTRIBUTED = "distributed learning"
    THEORY = "sample complexity"
    DEEP = "deep training"
    GENERATIVE = "synthetic data"


class Upkeep(StrEnum):
    """How an implementation is looked after."""

    MAINTAINED = "maintained"
    RESEARCH = "research code, not maintained"


class Place(StrEnum):
    """Where a system can be run here; the key of a `Runnable` is one of that place's register."""

    EXPLORE = "Explore"  # dpcore.methods
    PLAN = "Plan"  # dpcore.accounting.presets
    TRAIN = "Train"  # dpcore.systems.trainings
    ATLAS = "Atlas"  # dpcore.models


class Relation(StrEnum):
    """What runs here, seen from the system."""

    ITSELF = "as described"
    SOUND = "in a sound form"
    RELATIVE = "a relative"


@dataclass(frozen=True)
class Software:
    """An open implementation.

    Parameters
    ----------
    name : str
        Package and what to look for in it.
    upkeep : Upkeep
    note : str
        Where it differs from the system; "" where nothing is known to.
    """

    name: str
    upkeep: Upkeep = Upkeep.MAINTAINED
    note: str = ""


@dataclass(frozen=True)
class Runnable:
    """A way to run it here.

    Parameters
    ----------
    place : Place
    key : str
        Of the method, preset, training or model; its own standing says what is proved.
    relation : Relation
        Only what runs as described, or in a sound form, says anything about the system.
    note : str
        How it differs; "" where it does not.
    loss, features : str
        Of Explore; "" for the usual ones.
    """

    place: Place
    key: str
    relation: Relation = Relation.ITSELF
    note: str = ""
    loss: str = ""
    features: str = ""


@dataclass(frozen=True)
class ClaimVerdict:
    """What was found about a printed claim of which nothing runs here as printed.

    Parameters
    ----------
    status : Status
    because : str
        One or two plain sentences.
    """

    status: Status
    because: str


@dataclass(frozen=True)
class System:
    """One system of the literature.

    Parameters
    ----------
    key, title : str
        Name in links, and name on screen.
    paper : str
        The paper it is told of in: "000" to "004", or "" for what stands beside them.
    section : str
        Of that paper.
    source : str
        Authors and year.
    family : Family
    what : str
        What it does: one sentence for someone who does not know the field.
    claim : str
        What its authors claim; "" where the method that runs it as published says so itself.
    references : tuple of int
        Its numbers in the list of references of that paper.
    verdict : ClaimVerdict or None
        ``None`` where the claim was not checked, or a run as published carries the verdict.
    software : tuple of Software
        Empty where none was found, which is no proof that there is none.
    breaks : tuple of str
        What is known to have gone wrong, in the system or in its implementations.
    runs : tuple of Runnable
    """

    key: str
    title: str
    paper: str
    section: str
    source: str
    family: Family
    what: str
    claim: str = ""
    references: tuple[int, ...] = ()
    verdict: ClaimVerdict | None = None
    software: tuple[Software, ...] = ()
    breaks: tuple[str, ...] = ()
    runs: tuple[Runnable, ...] = ()
