"""A system of the literature: purpose, claim, implementations and known failures; and a search.

People type as they like: hyphens, case, accents and word order do not matter.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from itertools import pairwise

from dpcore.guarantee import Status
from dpcore.systems.literature import WORKS, Work


class Family(StrEnum):
    """The kind of a system."""

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
    """How an implementation is maintained."""

    MAINTAINED = "maintained"
    RESEARCH = "research code, not maintained"


class Practice(StrEnum):
    """What is known of a system's implementations."""

    LEAKS = "known to leak"
    NO_LEAK_KNOWN = "no leak known"
    NONE_KNOWN = "no implementation known"
    NOTHING_TO_RUN = "theory, nothing to run"


class Place(StrEnum):
    """Where a system can be run here; the key of a `Runnable` is one of that place's register."""

    EXPLORE = "Explore"  # dpcore.erm.methods
    PLAN = "Plan"  # dpcore.accounting.paper_003
    TRAIN = "Train"  # dpcore.systems.standings
    ATLAS = "Atlas"  # dpcore.models


class Relation(StrEnum):
    """The relation of the form that runs here to the system."""

    ITSELF = "as described"
    SOUND = "in a sound form"
    RELATIVE = "a relative"


@dataclass(frozen=True)
class Software:
    """An open implementation."""

    name: str
    upkeep: Upkeep = Upkeep.MAINTAINED
    # known differences from the system
    note: str = ""


@dataclass(frozen=True)
class Runnable:
    """A way to run it here."""

    place: Place
    # of the method, preset, training or model; its own standing holds the proof
    key: str
    # only a form as described, or a sound form, says anything about the system
    relation: Relation = Relation.ITSELF
    note: str = ""
    # settings of Explore; "" for the usual ones
    loss: str = ""
    features: str = ""


sound = partial(Runnable, relation=Relation.SOUND)
relative = partial(Runnable, relation=Relation.RELATIVE)
"""A run in a sound form, and one of a relative: place, key, and the difference as `note`."""


@dataclass(frozen=True)
class ClaimVerdict:
    """The finding about a printed claim of which nothing runs here as printed."""

    status: Status
    because: str


@dataclass(frozen=True)
class System:
    """One system of the literature.

    Parameters
    ----------
    key, title : str
        Name in links, and name on screen.
    source : str
        Authors and year.
    what : str
        Its purpose: one sentence for someone who does not know the field.
    paper : str
        The paper that describes it: "000" to "004", or "" for systems beside them.
    section : str
        Section of that paper.
    claim : str
        Its authors' claim; "" where the method that runs it as published states it.
    references : tuple of int
        Its numbers in the list of references of that paper.
    verdict : ClaimVerdict or None
        ``None`` where the claim was not checked, or a run as published carries the verdict.
    in_short : str
        The verdict on its printed claim in one sentence; "" where the claim was not checked.
    in_plain : str
        What was claimed and what holds, without formulas; every claim that is not supported has it.
    is_main : bool
        Whether it is a main claim of one of the five papers.
    works : tuple of str
        Keys of `literature.WORKS`, where `references` does not tell them.
    software : tuple of Software
        Known implementations; an empty tuple is no proof that there is none.
    breaks : tuple of str
        Known failures of the system itself.
    leaks : tuple of str
        Known failures of its implementations, which say nothing against its theorem.
    """

    key: str
    title: str
    source: str
    family: Family
    what: str
    paper: str = ""
    section: str = ""
    claim: str = ""
    references: tuple[int, ...] = ()
    verdict: ClaimVerdict | None = None
    in_short: str = ""
    in_plain: str = ""
    is_main: bool = False
    works: tuple[str, ...] = ()
    software: tuple[Software, ...] = ()
    breaks: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    runs: tuple[Runnable, ...] = ()

    @property
    def practice(self) -> Practice:
        """What is known of its implementations, whatever is known of its theorem."""
        if self.leaks:
            return Practice.LEAKS
        if self.software:
            return Practice.NO_LEAK_KNOWN
        if self.family is Family.THEORY:
            return Practice.NOTHING_TO_RUN
        return Practice.NONE_KNOWN

    @property
    def literature(self) -> tuple[Work, ...]:
        """Where it is printed: its own works, else those it is cited by, else its paper, if any."""
        keys = self.works or tuple(f"{self.paper}-{number}" for number in self.references)
        return tuple(WORKS[key] for key in keys or filter(None, (self.paper,)))


def matches_query(query: str, system: System) -> bool:
    """Whether every word of the query begins a word of the texts about the system."""
    texts = _texts(system)
    words = [word for word in (_letters(part)[0] for part in query.split()) if word]
    joined = ["", *("".join(pair) for pair in pairwise(words)), ""]
    return all(
        any(_occurs(form, texts) for form in (word, *pair) if form)
        for word, pair in zip(words, pairwise(joined), strict=False)
    )


def _occurs(word: str, texts: tuple[tuple[str, tuple[int, ...]], ...]) -> bool:
    forms = (word, word[:-1]) if word.endswith("s") and len(word) > 3 else (word,)
    return any(text.startswith(forms, start) for text, starts in texts for start in starts)


@cache
def _texts(system: System) -> tuple[tuple[str, tuple[int, ...]], ...]:
    paper = f"paper {system.paper} paper {int(system.paper)}" if system.paper else ""
    works = " ".join(f"{work.title} {work.year}" for work in system.literature)
    software = " ".join(package.name for package in system.software)
    own_texts = (system.key, system.title, system.source, str(system.family), system.what)
    return tuple(map(_letters, (*own_texts, paper, works, software)))


def _letters(text: str) -> tuple[str, tuple[int, ...]]:
    """Letters and digits without accents, case and gaps, and where a word begins among them."""
    letters, starts, inside = "", [], False
    for letter in unicodedata.normalize("NFKD", text):
        if unicodedata.combining(letter):
            continue
        if letter.isalnum():
            if not inside or letter.isupper():
                starts.append(len(letters))
            letters += letter.casefold()
        inside = letter.isalnum()
    # British and American spellings are one.
    return letters.replace("z", "s"), tuple(starts)
