"""Text from an address, a file or a description, and sentences that quote it: shown as it stands.

Wherever it stands in what Streamlit reads as Markdown, or opens as a spreadsheet, it goes through
here; in a figure through `dpcore.figures.words.literal`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    import pandas as pd

# An underscore within a word is no mark.
_MARKS = re.compile(r"[\\`*\[\]<>#$~&|]|(?<![^\W_])_|_(?![^\W_])")
# Addresses, e-mails, :icons: and typographic arrows are found in the finished text, after escapes
# are undone. Only code is left alone.
_ACTS_LATE = re.compile(r"\S*(?::(?=\S)|@|//|www\.|--|->|<-|[<>~]=)\S*", re.IGNORECASE)
_LIST_ITEM = re.compile(r"^(\d*)([-+.)])(?=\s|$)")
# Controls, and marks that turn the direction of the text around them.
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")
_FORMULA = re.compile(r"[=+\-@\t\r]")


def verbatim(text: str) -> str:
    """Markdown, on one line, that shows exactly this text: no markup, icon, formula or link."""
    text = " ".join(_UNSEEN.sub(" ", text).split())
    parts, end = [], 0
    for found in _ACTS_LATE.finditer(text):
        parts += [_escaped(text[end : found.start()]), _code(found[0])]
        end = found.end()
    parts.append(_escaped(text[end:]))
    return _LIST_ITEM.sub(r"\1\\\2", "".join(parts))


def refuse(refusal: Exception | str, icon: str = ":material/block:") -> None:
    """Say why something cannot be followed; the sentence may quote anything."""
    st.error(verbatim(str(refusal)), icon=icon)


def csv(table: pd.DataFrame) -> bytes:
    """The table as a file, in which no text begins like a spreadsheet's formula."""
    texts = table.select_dtypes(include=["object", "string", "category"])
    safe = {name: texts[name].map(_no_formula).astype(object) for name in texts}
    return table.assign(**safe).to_csv(index=False).encode()


def _escaped(text: str) -> str:
    return _MARKS.sub(r"\\\g<0>", text)


def _code(text: str) -> str:
    ticks = max(map(len, re.findall("`+", text)), default=0)
    fence, room = "`" * (ticks + 1), " " if ticks else ""
    return f"{fence}{room}{text}{room}{fence}"


def _no_formula(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell
