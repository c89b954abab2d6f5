"""Whether released files are those of their certificate, by their hashes.

A certificate names the SHA-256 of each released file. Its own page of HTML is made from it and
cannot be among them: it is made anew, and compared.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from dpcore.errors import InvalidInput, brief
from dpcore.release.canonical import SHA256
from dpcore.release.certificate import Certificate
from dpcore.words import spaced

State = Literal["unchanged", "altered", "not mentioned", "missing", "unreadable"]
Files = Mapping[str, Callable[[], bytes]]
"""Each file's name, and what reads it: a file that no certificate names is not read."""
PAGE, MODEL_FILE, ONNX, CARD = "certificate.html", "model.json", "model.onnx", "card.md"
TWIN, COLUMNS = "twin.csv", "columns.txt"
MAX_FILES = 20
FILE_NAME = re.compile(r"\w[\w.-]{0,59}")
_OF_TWIN = {"twin": TWIN, "columns": COLUMNS}


def hashes(files: Mapping[str, bytes]) -> list[dict[str, str]]:
    """What the facts of a certificate say of these files."""
    return [
        {"name": name, "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in files.items()
    ]


def named(facts: Mapping[str, Any]) -> dict[str, str]:
    """The SHA-256 of each file that the facts of a certificate, or of a twin's card, name."""
    stated = facts["hashes"]
    if "twin" in stated:
        entries = [{"name": _OF_TWIN[key], "sha256": stated[key]} for key in _OF_TWIN]
    else:
        entries = stated.get("files", [])
    names = {each["name"]: each["sha256"] for each in entries}
    for name, sha in names.items():
        if not FILE_NAME.fullmatch(name) or not SHA256.fullmatch(sha):
            raise InvalidInput(f"The certificate names {brief(name)}, but not by a SHA-256.")
    if len(names) < len(entries) or len(entries) > MAX_FILES:
        raise InvalidInput(
            f"The certificate names {spaced(len(entries))} files, but must name at most "
            f"{MAX_FILES}, each once."
        )
    return names


def states(certificate: Certificate, files: Files) -> Iterator[tuple[str, State, str]]:
    """The state of each file, and why one is unreadable; `expected` lists which must exist.

    The certificate's own hash has to hold.
    """
    stated = named(certificate.document["facts"])
    for name, content in files.items():
        if name not in stated and not (name == PAGE and PAGE in expected(certificate)):
            yield name, "not mentioned", ""
            continue
        try:
            read = content()
        except InvalidInput as refusal:  # the files after it are still checked
            yield name, "unreadable", str(refusal)
            continue
        if name in stated:
            is_same = hashlib.sha256(read).hexdigest() == stated[name]
        else:
            is_same = certificate.is_page(read)
        yield name, "unchanged" if is_same else "altered", ""


def expected(certificate: Certificate) -> list[str]:
    """The names of the files that belong to a certificate."""
    facts = certificate.document["facts"]
    return [*named(facts), *([PAGE] if "files" in facts["hashes"] else [])]
