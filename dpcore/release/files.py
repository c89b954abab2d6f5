"""The files of a release: written whole, or not at all, and checked by their hashes.

Files carry their time along when they are packed or copied. Beside the ledger's time of the payment
it would tell how long a training took, which depends on its rows; so it is given to the minute, as
that of the certificate is in the ledger.

A certificate names the SHA-256 of each released file. Its own page of HTML is made from it and
cannot be among them: it is made anew, and compared.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from dpcore.errors import InvalidInput, brief, reject
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


@contextmanager
def new_folder(output: str | Path) -> Iterator[Path]:
    """A hidden folder beside `output`, made before anything is paid; `write` gives it the name.

    It is removed where nothing was written to it.
    """
    place = Path(output)
    if os.path.lexists(place):
        raise reject("output", str(output), "a folder that is new")
    try:
        hidden = place.with_name(f".{place.name}-{secrets.token_hex(4)}")
        hidden.mkdir()
    except (OSError, ValueError) as error:
        reason = f" ({error.strerror})" if isinstance(error, OSError) else ""
        raise reject("output", str(output), f"a folder that can be made{reason}") from None
    try:
        yield hidden
    finally:
        with suppress(OSError):
            hidden.rmdir()


def write(files: Mapping[str, bytes], hidden: Path, output: str | Path) -> None:
    """Write all files to the disk, and then give the hidden folder its name."""
    try:
        for name, content in files.items():
            with (hidden / name).open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        minute = int(time.time()) // 60 * 60
        for path in (*hidden.iterdir(), hidden):
            os.utime(path, (minute, minute))
        hidden.rename(output)
        # The name, too, is on the disk before the ledger says that there is a model.
        parent = os.open(hidden.parent, os.O_RDONLY)
        try:
            os.fsync(parent)
        finally:
            os.close(parent)
    except OSError as error:
        raise InvalidInput(
            f"The files could not be written to {str(output)!r} ({error.strerror}); what there is "
            f"of it lies in {hidden}."
        ) from None


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
