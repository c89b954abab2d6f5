"""`datasets` and `methods`: what there is to choose from."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from dpcore.cli.options import json_option
from dpcore.cli.output import print_json

if TYPE_CHECKING:
    from dpcore.cli.options import Commands


def add(commands: Commands) -> None:
    """Add the two commands."""
    command = commands.add_parser("datasets", help="the catalogue, with public bounds and traps")
    json_option(command)
    command.set_defaults(run=_datasets)
    command = commands.add_parser("methods", help="the register: claim, proof and status")
    json_option(command)
    command.set_defaults(run=_methods)


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
    from dpcore.methods import describe

    entries = describe()
    if options.json:
        print_json({"methods": entries})
        return
    for entry in entries:
        print(f"{entry['method']} ({entry['edition']}): {entry['status']}")
        print(f"  claim: {entry['claim']}\n  proof: {entry['proof']}")
