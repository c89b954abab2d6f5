"""Data sets with public bounds: find, load, check, prepare. Imports neither pandas nor sklearn."""

from dpcore.datasets.catalogue import (
    availability,
    catalogue,
    describe,
    describe_all,
    entry,
    load,
    read_upload,
)
from dpcore.datasets.files import DataUnavailable
from dpcore.datasets.own.description import OWN, described
from dpcore.datasets.preparation import BY_RULE, PAPER_000, Preparation
from dpcore.datasets.prepare import Split, prepare
from dpcore.datasets.schema import Column, Entry, Label, RemoteFile, Table

__all__ = [
    "BY_RULE",
    "OWN",
    "PAPER_000",
    "Column",
    "DataUnavailable",
    "Entry",
    "Label",
    "Preparation",
    "RemoteFile",
    "Split",
    "Table",
    "availability",
    "catalogue",
    "describe",
    "describe_all",
    "described",
    "entry",
    "load",
    "prepare",
    "read_upload",
]
