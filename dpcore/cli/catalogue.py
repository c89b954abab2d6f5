"""`datasets` and `methods`: the available choices, and all systems that the papers describe."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from dpcore.cli.options import json_option
from dpcore.cli.output import print_json
from dpcore.controls.options import add as add_options

if TYPE_CHECKING:
    from dpcore.cli.options import Commands, Parser


def add(commands: Commands) -> None:
    """Add the two commands."""
    command = commands.add_parser("datasets", help="the catalogue, with public bounds and traps")
    json_option(command)
    command.set_defaults(run=_datasets)
    command = commands.add_parser(
        "methods", help="the registers of methods and systems: claim, proof and status"
    )
    command.later(_filters)
    json_option(command)
    command.set_defaults(run=_methods)


def _filters(command: Parser) -> None:
    from dpcore.controls.atlas import FILTERS

    add_options(command, FILTERS)


def _datasets(options: argparse.Namespace) -> None:
    from dpcore.datasets import describe_all, images

    tables, sets = describe_all(), images.describe_all()
    if options.json:
        print_json({"datasets": tables, "images": sets})
        return
    for title, entries in (("Tables", tables), ("Images and features, for networks", sets)):
        print(f"{title}:")
        for entry in entries:
            records = "" if entry["records"] is None else entry["records"]
            print(f"  {entry['key']:14} {records!s:>9}  {entry['availability']:9} {entry['title']}")


def _methods(options: argparse.Namespace) -> None:
    from dpcore import systems
    from dpcore.errors import one_of
    from dpcore.guarantee import Status
    from dpcore.methods import describe
    from dpcore.systems.standings import CLAIM_UNCHECKED, HERE

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
