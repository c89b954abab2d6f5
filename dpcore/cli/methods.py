"""`methods`: the registers of methods, and of all systems that the papers describe."""

from __future__ import annotations

import argparse

from dpcore import systems
from dpcore.cli.options import Parser
from dpcore.cli.output import print_json
from dpcore.controls.atlas import FILTERS
from dpcore.controls.options import add as add_options
from dpcore.controls.options import typed_values
from dpcore.erm.methods import describe_methods
from dpcore.errors import one_of
from dpcore.guarantee import Status
from dpcore.models.systems import describe as describe_models
from dpcore.systems.standings import CLAIM_UNCHECKED, HERE

ALLOWED = {
    "paper": tuple(systems.PAPERS),
    "kind": tuple(map(str, systems.Family)),
    "status": tuple(map(str, Status)),
    "implementations": tuple(map(str, systems.Practice)),
}
"""What an option may be, by its name."""


def add(command: Parser) -> None:
    add_options(command, FILTERS)


def run(options: argparse.Namespace) -> None:
    for name, allowed in ALLOWED.items():
        if getattr(options, name) is not None:
            one_of(name, getattr(options, name), allowed)
    filters = FILTERS.fields(typed_values(FILTERS, options))
    described = systems.describe(systems.selected(**filters))
    # A method has only a paper and a status; every other filter is for systems.
    methods = [
        entry
        for entry in describe_methods()
        if not filters.keys() - {"paper", "status"}
        and filters.get("status") in (None, entry["status"])
        and filters.get("paper") in (None, str(entry["paper"])[:3])
    ]
    models = [
        entry
        for entry in describe_models()
        if not filters.keys() - {"paper", "status"}
        and filters.get("status") in (None, entry["status"])
        and filters.get("paper") in (None, "001")
    ]
    if options.json:
        print_json({"methods": methods, "models": models, "systems": described})
        return
    if not methods and not models and not described:
        print(systems.NOTHING_FOUND)
    if methods:
        print("Methods that Explore and `sweep` run:")
    for entry in methods:
        print(f"{entry['method']} ({entry['edition']}): {entry['status']}")
        print(f"  claim: {entry['claim']}\n  proof: {entry['proof']}")
    if models:
        print("Models of the survey that `model` runs:")
    for entry in models:
        print(f"{entry['model']:<18} {entry['title']} · {entry['system']} · {entry['status']}")
    if described:
        proved = sum(system_entry["status"] == Status.PROVED for system_entry in described)
        forms = systems.proved_in_words(
            systems.system_named(system_entry["system"]) for system_entry in described
        )
        print(f"Systems that the papers tell of, {proved} of {len(described)} proved: {forms}.")
    for system in described:
        print(f"{system['verdict']} {system['title']} ({system['system']}): {system['status']}")
        if system["sound_form"] and system["status_of"] != HERE:
            print(f"  corrected version: {system['sound_form']}")
        print(f"  claimed: {system['claim']}")
        if system["status_of"] == HERE:
            print(f"    {CLAIM_UNCHECKED}")
        print(f"  known: {system['proof']}")
        for broken in system["breaks"]:
            print(f"  broke: {broken}")
        for leak in system["leaks"]:
            print(f"  leaks: {leak}")
        for work in system["works"]:
            print(f"  printed: {work['title']} ({work['year']}), {work['link']}")
        for run in system["runs"]:
            print(f"  runs: {run['place']}, {run['key']} ({run['relation']})")
