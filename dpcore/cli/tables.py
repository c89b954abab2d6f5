"""Records from a file: the options that name it, and reading it as the pages read an upload."""

from __future__ import annotations

import argparse
import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dpcore.datasets import OWN, Table, read_upload
from dpcore.datasets.faults import LARGEST_TABLE
from dpcore.datasets.files import contents
from dpcore.datasets.own import clipped
from dpcore.datasets.text import LARGEST_UPLOAD
from dpcore.errors import InvalidInput, brief, reject
from dpcore.front.experiments import read_limited
from dpcore.guarantee import large_delta

if TYPE_CHECKING:
    from dpcore.release.table import ReleaseTable

USUAL = "breast_cancer"


@dataclass(frozen=True)
class TableSource:
    """The source of a command's records: an upload's digest and table, "" and None by name."""

    dataset: str
    columns: str = ""
    upload: str = ""
    table: Table | None = None


def table_options(command: argparse.ArgumentParser) -> None:
    """Add `--dataset`, `--table` and `--columns`."""
    command.add_argument("--dataset", help=f"default: {USUAL}")
    command.add_argument(
        "--table",
        help="file (CSV) to take the records of the data set from, or a table of one's own (CSV, "
        "Parquet)",
    )
    command.add_argument(
        "--columns",
        help="file that describes the columns of a table of one's own, in YAML, JSON or lines",
    )


def source(options: argparse.Namespace) -> TableSource:
    """The data set named by the options, with its records where they come in a file."""
    described = options.columns is not None
    dataset = options.dataset or (OWN if described else USUAL)
    if described and dataset != OWN:
        raise InvalidInput(
            f"dataset is {brief(dataset)}, but --columns describes a table of one's own."
        )
    if options.table is None:
        if dataset == OWN:
            raise InvalidInput("table is missing, but a table of one's own comes in a file.")
        return TableSource(dataset)
    if dataset == OWN and not described:
        raise InvalidInput("columns is missing, but a table of one's own must be described.")
    columns = text_file("columns", options.columns) if described else ""
    most = LARGEST_TABLE if dataset == OWN else LARGEST_UPLOAD
    # One byte more than allowed: reading then reports that it is too large.
    data = contents("table", options.table, most)
    name = Path(options.table).name
    table = read_limited(read_upload, data, name, key=dataset, columns=columns)
    return TableSource(dataset, columns, hashlib.sha256(data).hexdigest(), table)


def release_table(options: argparse.Namespace) -> ReleaseTable:
    """The records that `--table` and `--columns` name, as a release reads them."""
    from dpcore.release.table import read_for_release

    columns = text_file("columns", options.columns)
    # One byte more than allowed: reading then reports that it is too large.
    data = contents("table", options.table, LARGEST_TABLE)
    return read_limited(read_for_release, data, Path(options.table).name, columns=columns)


def before_payment(table: ReleaseTable, delta: float, accepted: bool) -> None:
    """Tell the owner of a table of a large δ and of what was clipped, and ask whether to go on."""
    warnings = clipped.warnings(table.clipping)
    is_asked = bool(warnings) and not accepted
    told = [large_delta(delta, table.count), *warnings, clipped.counts(table.clipping)]
    told = [text for text in told if text]
    if is_asked and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InvalidInput(" ".join([*told, "To pay all the same give --accept-clipping."]))
    for text in told:
        print(text, file=sys.stderr)
    if not is_asked:
        return
    print("Go on and pay all the same? yes or no: ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() != "yes":
        raise InvalidInput("Nothing was paid.")


def accept_clipping(command: argparse.ArgumentParser) -> None:
    """Add `--accept-clipping`."""
    command.add_argument(
        "--accept-clipping",
        action="store_true",
        help="go on without being asked where many values are outside the described ranges",
    )


def text_file(field: str, name: str, most: int = LARGEST_UPLOAD) -> str:
    """The text of a file of at most so many bytes."""
    try:
        return contents(field, name, most).decode()
    except UnicodeDecodeError:
        raise reject(field, name, "a text file (UTF-8)") from None
