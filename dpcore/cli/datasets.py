"""`datasets`: the catalogue of tables, and of images and features for networks."""

from __future__ import annotations

import argparse

from dpcore.cli.options import Parser
from dpcore.cli.output import print_json
from dpcore.datasets import describe_all, images


def add(_: Parser) -> None: ...


def run(options: argparse.Namespace) -> None:
    tables, sets = describe_all(), images.describe_all()
    if options.json:
        print_json({"datasets": tables, "images": sets})
        return
    for title, entries in (("Tables", tables), ("Images and features, for networks", sets)):
        print(f"{title}:")
        for entry in entries:
            records = "" if entry["records"] is None else entry["records"]
            print(f"  {entry['key']:18} {records!s:>9}  {entry['availability']:9} {entry['title']}")
