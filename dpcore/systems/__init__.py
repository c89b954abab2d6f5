"""The register of systems and their standings; `dpcore.systems.papers` describes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from typing import Any

from dpcore.erm.methods import register as methods
from dpcore.errors import one_of
from dpcore.guarantee import Described, Status
from dpcore.models.systems import register as models
from dpcore.systems.papers import WRITTEN
from dpcore.systems.standings import PUBLISHED, SystemStanding, forms, standing
from dpcore.systems.system import (
    ClaimVerdict,
    Family,
    Place,
    Practice,
    Relation,
    Runnable,
    Software,
    System,
    Upkeep,
    matches_query,
)

__all__ = [
    "NOTHING_FOUND",
    "OUTSIDE_PAPERS",
    "PAPERS",
    "STATUSES",
    "ClaimVerdict",
    "Family",
    "Place",
    "Practice",
    "Relation",
    "Runnable",
    "Software",
    "System",
    "SystemStanding",
    "Upkeep",
    "describe",
    "forms",
    "proved",
    "proved_in_words",
    "register",
    "runs_here",
    "runs_of",
    "selected",
    "standing",
    "system_named",
    "verdict_on",
    "written",
]

OUTSIDE_PAPERS = "beside"
PAPERS = {
    "000": "000 OPERA and GRPUA",
    "001": "001 Survey",
    "002": "002 Input perturbation",
    "003": "003 Adaptive networks",
    "004": "004 Optimised noise",
    OUTSIDE_PAPERS: "Beside the papers",
}
"""The work that describes a system, by `System.paper`; what none describes is `OUTSIDE_PAPERS`."""

STATUSES = (
    Status.PROVED,
    Status.CONDITIONS_NOT_MET,
    Status.CLAIM_NOT_SUPPORTED,
    Status.DESCRIBED_ONLY,
)

NOTHING_FOUND = "No system matches all of this."

NO_SYSTEM = {"nonprivate"}
"""Methods of Explore that promise nothing."""


@cache
def register() -> dict[str, System]:
    """Every system by key: by paper, then in the paper's order."""
    systems = list(WRITTEN)
    named = {(run.place, run.key) for system in systems for run in system.runs}
    systems += [
        _of(method, Place.EXPLORE, Family.ERM)
        for key, method in methods().items()
        if (Place.EXPLORE, key) not in named and key not in NO_SYSTEM
    ]
    systems += [
        _of(model, Place.ATLAS, Family.SUPERVISED, "model-")
        for key, model in models().items()
        if (Place.ATLAS, key) not in named
    ]
    rank = {paper: place for place, paper in enumerate(PAPERS)}

    def place(system: System) -> tuple[int, str]:
        # The survey is several files; its Roman numerals happen to sort like its sections.
        return rank[system.paper or OUTSIDE_PAPERS], system.section if system.paper == "001" else ""

    return {system.key: system for system in sorted(systems, key=place)}


def _of(what: Described, place: Place, family: Family, prefix: str = "") -> System:
    return System(
        key=prefix + what.key.replace("_", "-"),
        title=what.title,
        source=what.paper,
        family=family,
        what=what.idea,
        runs=(Runnable(place, what.key),),
    )


def system_named(key: str) -> System:
    """Find the system called `key`; another is refused."""
    return register()[one_of("system", key, tuple(register()))]


def runs_of(place: Place, key: str) -> list[System]:
    """The systems that run there under `key`, as described or in a sound form."""
    return [
        system
        for system in register().values()
        if any(
            (run.place, run.key) == (place, key) and run.relation is not Relation.RELATIVE
            for run in system.runs
        )
    ]


def verdict_on(method: str) -> str:
    """The verdict on all that a method of Explore claims as published; "" where none is given."""
    for system in runs_of(Place.EXPLORE, method):
        current = standing(system)
        if current.of == PUBLISHED and not system.claim:
            return current.verdict
    return ""


def runs_here(system: System) -> bool:
    return any(run.relation is not Relation.RELATIVE for run in system.runs)


def selected(
    *,
    search: str | None = None,
    paper: str | None = None,
    family: str | None = None,
    status: str | None = None,
    practice: str | None = None,
    runnable: bool = False,
    failures: bool = False,
) -> tuple[System, ...]:
    """The systems that match all of this, main claims of the five papers first."""
    matches = [
        system
        for system in register().values()
        if paper in (None, system.paper or OUTSIDE_PAPERS)
        and family in (None, system.family)
        and practice in (None, system.practice)
        and (runs_here(system) or not runnable)
        and (system.breaks or system.leaks or not failures)
        and matches_query(search or "", system)
        and status in (None, standing(system).status)
    ]
    return tuple(sorted(matches, key=lambda system: not system.is_main))


def proved(systems: Iterable[System]) -> tuple[int, int, int]:
    """Number of systems proved as printed, in our form, and as a sound variant only."""
    standings = [standing(system) for system in systems]
    ours = sum(verdict.status is Status.PROVED and verdict.claim_unchecked for verdict in standings)
    either = sum(verdict.status is Status.PROVED for verdict in standings)
    with_sound_variant = sum(
        verdict.status is not Status.PROVED
        and verdict.sound is not None
        and verdict.sound.status is Status.PROVED
        for verdict in standings
    )
    return either - ours, ours, with_sound_variant


def proved_in_words(systems: Iterable[System]) -> str:
    """The numbers of `proved` in words."""
    printed, ours, with_sound_variant = proved(systems)
    text = f"{printed} as printed, {ours} in our corrected version"
    return (
        f"{text}; of {with_sound_variant} others, a corrected one" if with_sound_variant else text
    )


def describe(systems: Iterable[System] | None = None) -> list[dict[str, Any]]:
    """Systems as plain dictionaries; all of them by default."""
    return [_described(system) for system in (register().values() if systems is None else systems)]


def _described(system: System) -> dict[str, Any]:
    verdict = standing(system)
    return {
        "verdict": verdict.verdict,
        "system": system.key,
        "title": system.title,
        "paper": system.paper or None,
        "section": system.section,
        "references": list(system.references),
        "source": system.source,
        "family": str(system.family),
        "what": system.what,
        "works": [asdict(work) for work in system.literature],
        "claim": verdict.claim,
        "proof": verdict.proof,
        "status": str(verdict.status),
        "status_of": verdict.of,
        "claim_checked": verdict.of == PUBLISHED,
        "sound_form": None if verdict.sound is None else str(verdict.sound.status),
        "software": [asdict(package) for package in system.software],
        "implementations": str(system.practice),
        "breaks": list(system.breaks),
        "leaks": list(system.leaks),
        "runs": [
            {
                "place": str(run.place),
                "key": run.key,
                "relation": str(run.relation),
                "note": run.note,
            }
            for run in system.runs
        ],
    }
