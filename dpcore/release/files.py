"""The files of a release: written whole, or not at all, and checked by their hashes.

Files carry their time along when they are packed or copied. Beside the ledger's time of the payment
it would tell how long a training took, which depends on its rows; so it is given to the minute, as
that of the certificate is in the ledger.

A certificate names the SHA-256 of each released file. Its own page of HTML is made from it and
cannot be among them: it is made anew, and compared. The model card is Markdown: what the model is
for, what it learned from, what is proved of it.
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
from dpcore.release.certificate import Certificate, Record
from dpcore.release.certificate import certificate as of_facts
from dpcore.release.certificate_html import plain_summary
from dpcore.release.documents import SHA256
from dpcore.release.model import ReleasedModel
from dpcore.words import as_set, at_least, at_most, capitalised, spaced

State = Literal["unchanged", "altered", "not mentioned", "missing", "unreadable"]
Files = Mapping[str, Callable[[], bytes]]
"""Each file's name, and what reads it: a file that no certificate names is not read."""
PAGE, MODEL_FILE, ONNX, CARD = "certificate.html", "model.json", "model.onnx", "card.md"
TWIN, COLUMNS = "twin.csv", "columns.txt"
TABLE, PAPER, RELEASED, INTERVALS = "table.csv", "table.html", "released.json", "intervals.py"
SUMMARY = "summary.yaml"
MAX_FILES = 20
FILE_NAME = re.compile(r"\w[\w.-]{0,59}")
_OF_TWIN = {"twin": TWIN, "columns": COLUMNS}
OF_SUMMARY = {"table": TABLE, "paper": PAPER, "released": RELEASED, "intervals": INTERVALS}
"""By what the facts call them: the files of a twin, and of a private table."""


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
    """The SHA-256 of each file that the facts of a certificate or a card name."""
    stated = facts["hashes"]
    entries = stated.get("files", [])
    for own in (_OF_TWIN, OF_SUMMARY):
        if set(own) == set(stated):
            entries = [{"name": name, "sha256": stated[key]} for key, name in own.items()]
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


CORRECTED = "Its risks are corrected by noisy counts of its scores, within the same ε."
_MARKUP = re.compile(
    # Also what some readers make an address of, with no mark around it.
    r"[\\`*\[\]<>#|~$@]|:(?=//)|(?<=\w)\.(?=[^\W\d_])"
    r"|(?<![^\W_])_|_(?![^\W_])"  # not within a word
    r"|&(?=#?\w+;)"
    r"|^[+=-]"
)
"""What Markdown may take for markup; all else stays, for those who read the file itself."""
_NUMBERED = re.compile(r"^(\d+)([.)])")


def card(model: ReleasedModel, certificate: Certificate) -> str:
    """Write the card, without anything that was measured on the records.

    The certificate is one without the hashes of files, as this card's is one of them. Numbers are
    rounded to the safe side; the certificate has every digit.
    """
    facts, proof = certificate.document["facts"], certificate.document["proof"]
    record = Record.in_facts(facts)
    about, outcome = facts["about"], model.entry.outcome
    output = "the risk" if model.loss == "logistic" else "a score, which is no risk,"
    corrected = "" if model.risks is None else f" {CORRECTED}"
    parts = {
        f"# {_plain(about['name'])}": [
            f"**{title}.** {' '.join(map(_plain, sentences))}"
            for title, sentences in plain_summary(certificate.document)
        ],
        "## Use": [
            f"Meant for: {_plain(about['intended_use'])}",
            f"A {model.scorer.words} with the {model.loss} loss; it gives {output} of "
            f"{_plain(outcome.positive)}.{corrected}",
            "Not meant for a decision that nobody looks at. It has not been validated by this "
            "program on records that it did not learn from: its accuracy is not stated here, as "
            "that would be another release.",
        ],
        "## Data": [
            f"{spaced(facts['training']['records'])} {record.noun} from {_plain(about['region'])}, "
            f"of {_plain(about['data_curator'])}; a record is "
            f"{_plain(record.being(facts['ledger']['person_unit']))}.",
            *("    " + line for line in model.columns.splitlines() if line.strip()),
        ],
        "## Privacy": [
            _plain(certificate.document["claim"]),
            *(f"{capitalised(proof[name])}." for name in ("choice",) if name in proof),
            f"Proved: ε ≤ {at_most(proof['epsilon'])} at δ = "
            f"{at_most(proof['delta'])} ({proof['adjacency']}), by "
            f"{proof['accountant']}; μ ≤ {at_most(proof['mu'])}. Rounded up; "
            "certificate.yaml has every digit.",
            f"Attacked: {spaced(facts['attack']['runs'])} releases on either of two neighbours "
            f"proved ε ≥ {at_least(facts['attack']['lower_bound'])} and μ ≥ "
            f"{at_least(facts['attack']['mu_lower_bound'])}, each at "
            f"{as_set(100 * facts['attack']['confidence'])} % confidence.",
            "Unprotected: " + "; ".join(certificate.document["unprotected"]) + ".",
        ],
        "## Check": [
            "    python -m dpcore certificate check .",
            "In the folder of the release, this says of each file whether it was altered. The "
            "certificate names the hash of each.",
        ],
    }
    blocks = [block for title, lines in parts.items() for block in (title, *lines)]
    text = "\n\n".join(blocks)
    # Lines of one block of code stand together.
    return re.sub(r"(?m)^(    .*)\n\n(?=    )", r"\1\n", text) + "\n"


def is_card(content: bytes, model: ReleasedModel, certificate: Certificate) -> bool:
    """Whether a file is the card of this model."""
    facts = certificate.document["facts"]
    hashes = {name: value for name, value in facts["hashes"].items() if name != "files"}
    bare = of_facts({**facts, "hashes": hashes})
    return content == card(model, bare).encode()


def _plain(text: str) -> str:
    """Text from a person, on one line, in which no letter is markup."""
    return _NUMBERED.sub(r"\1\\\2", _MARKUP.sub(r"\\\g<0>", text))
