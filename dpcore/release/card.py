"""A model card in Markdown: what the model is for, what it learned from, what is proved of it."""

from __future__ import annotations

import re

from dpcore.release.certificate import Certificate, Record
from dpcore.release.certificate import certificate as of_facts
from dpcore.release.certificate_html import plain_summary
from dpcore.release.model import ReleasedModel
from dpcore.words import as_set, at_least, at_most, spaced

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
