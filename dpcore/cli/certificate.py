"""`certificate check`: whether a certificate follows from its mechanism, and files are its own."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path

from dpcore.cli.options import Parser
from dpcore.cli.output import print_json
from dpcore.cli.tables import text_file
from dpcore.datasets.faults import LARGEST_TABLE
from dpcore.datasets.files import contents
from dpcore.datasets.text import quoted
from dpcore.errors import InvalidInput, one_of, reject
from dpcore.words import spaced

CERTIFICATES = ("certificate.yaml", "twin.yaml", "summary.yaml")
FILES = {
    "model": ("model.json", "the model"),
    "onnx": ("model.onnx", "the model as ONNX"),
    "card": ("card.md", "the model card"),
    "html": ("certificate.html", "the certificate as a page"),
    "twin": ("twin.csv", "the private twin"),
}
"""By option: what a release calls the file, and what it is."""
MAX_IN_FOLDER = 1_000


def add(command: Parser) -> None:
    command.add_argument("action", help="check")
    command.add_argument(
        "file",
        help="the certificate, or the card of a twin or a table (YAML); or the folder of a "
        "release, of which every file is then checked",
    )
    command.add_argument("--ledger", help="the ledger that it was paid from")
    for option, (name, description) in FILES.items():
        command.add_argument(f"--{option}", help=f"{description} that it is about ({name})")


def run(options: argparse.Namespace) -> None:
    """Answer; a certificate with a fault, or a file that was altered, is bad input."""
    one_of("action", options.action, ("check",))
    from dpcore.release.check import check

    file, files = options.file, _named_files(options)
    is_folder = Path(file).is_dir()
    if is_folder:
        file, folder_files = _release_folder(file)
        files = folder_files | files
    text = text_file("file", file)
    if options.ledger is None:
        checked = check(text, files=files or None, are_all=is_folder)
    else:
        from dpcore.release.ledger import Ledger

        ledger = Ledger.open(options.ledger, must_exist=True)
        try:
            checked = check(text, ledger, files=files or None, are_all=is_folder)
        finally:
            ledger.close()
    if options.json:
        print_json(
            {
                "holds": not checked.problems,
                "problems": list(checked.problems),
                "checks": list(checked.checks),
                "warning": checked.warning,
                "files": dict(checked.files),
            }
        )
    else:
        for name, state in sorted(checked.files.items()):
            print(f"{quoted(name)[1:-1]}: {state}")
    if checked.problems:
        raise InvalidInput(" ".join(checked.problems))
    if not options.json:
        print("The certificate holds.")
        for each in checked.checks:
            print(f"checked: {each}")
        if silent := [name for name, state in checked.files.items() if state == "not mentioned"]:
            print(f"It says nothing of, and so not checked: {', '.join(map(quoted, silent))}.")
        if checked.warning:
            print(checked.warning)


def _named_files(options: argparse.Namespace) -> dict[str, Callable[[], bytes]]:
    return {
        name: partial(_all_bytes, option, place)
        for option, (name, _) in FILES.items()
        if (place := getattr(options, option)) is not None
    }


def _all_bytes(field: str, place: str | Path) -> bytes:
    """All bytes of a file; a larger one is refused: the hash of a part leaves out the rest."""
    data = contents(field, place, LARGEST_TABLE)
    if len(data) > LARGEST_TABLE:
        raise reject(field, str(place), f"a file of at most {spaced(LARGEST_TABLE)} bytes")
    return data


def _release_folder(place: str) -> tuple[str, dict[str, Callable[[], bytes]]]:
    try:
        inside = list(islice(Path(place).iterdir(), MAX_IN_FOLDER + 1))
    except OSError as error:
        raise reject("file", place, f"a folder that can be read ({error.strerror})") from None
    certificates = [path for path in inside if path.name in CERTIFICATES]
    if len(certificates) != 1 or len(inside) > MAX_IN_FOLDER:
        raise reject(
            "file",
            place,
            f"a folder of one release: with {' or '.join(CERTIFICATES)}, and at most "
            f"{spaced(MAX_IN_FOLDER)} files",
        )
    return str(certificates[0]), {
        path.name: partial(_all_bytes, "file", path) for path in inside if path != certificates[0]
    }
