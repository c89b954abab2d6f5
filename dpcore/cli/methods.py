"""`methods`: the registers of methods, and of all systems that the papers describe."""

from __future__ import annotations

import argparse
from typing import Any

from dpcore import systems
from dpcore.cli.options import Parser
from dpcore.cli.output import print_json
from dpcore.controls.atlas import FILTERS
from dpcore.controls.options import add as add_options
from dpcore.errors import one_of
from dpcore.guarantee import Status
from dpcore.methods import describe
from dpcore.systems.standings import CLAIM_UNCHECKED, HERE


def add(command: Parser) -> None:
    """Add the options."""
    add_options(command, FILTERS)


def run(options: argparse.Namespace) -> None:
    """Answer."""
    paper, status = options.paper, options.status
    if paper is not None:
        one_of("paper", paper, tuple(key for key in systems.PAPERS if key))
    if status is not None:
        one_of("status", status, tuple(map(str, Status)))

    def selected(entry: dict[str, Any]) -> bool:
        return (
            status in (None, entry["status"])
            and paper in (None, (entry["paper"] or "")[:3])
            and bool(entry.get("breaks") or not options.failures)
        )

    methods = [entry for entry in describe() if selected(entry)]
    described = [entry for entry in systems.describe() if selected(entry)]
    if options.json:
        print_json({"methods": methods, "systems": described})
        return
    if methods:
        print("Methods that Explore and `sweep` run:")
    for entry in methods:
        print(f"{entry['method']} ({entry['edition']}): {entry['status']}")
        print(f"  claim: {entry['claim']}\n  proof: {entry['proof']}")
    if described:
        proved = sum(system_entry["status"] == Status.PROVED for system_entry in described)
        forms = systems.proved_told(
            systems.system_named(system_entry["system"]) for system_entry in described
        )
        print(f"Systems that the papers tell of, {proved} of {len(described)} proved: {forms}.")
    for system in described:
        print(f"{system['system']}, {system['title']}: {system['verdict']}")
        if system["sound_form"] and system["status_of"] != HERE:
            print(f"  sound form: {system['sound_form']}")
        print(f"  claimed: {system['claim']}")
        if system["status_of"] == HERE:
            print(f"    {CLAIM_UNCHECKED}")
        print(f"  known: {system['proof']}")
        for broken in system["breaks"]:
            print(f"  broke: {broken}")
        for run in system["runs"]:
            print(f"  runs: {run['place']}, {run['key']} ({run['relation']})")
