"""Show text from an address, a file or a description literally, also where sentences quote it.

Such text passes through here before Streamlit reads it as Markdown; before a spreadsheet opens it,
through `dpcore.spreadsheet.csv`; in a figure, through `dpcore.figures.escape.literal`.
"""

from __future__ import annotations

import re
from html import escape

import streamlit as st

from dpcore.words import on_one_line

# An underscore within a word is not markup.
_MARKS = re.compile(r"[\\`*\[\]<>#$~&|]|(?<![^\W_])_|_(?![^\W_])")
# Streamlit replaces addresses, e-mails, :icons: and arrows in the finished text, after it resolves
# escapes. Only code is exempt.
_ACTS_LATE = re.compile(r":(?=\S)|@|//|www\.|--|->|<-|[<>~]=", re.IGNORECASE)
_WITHIN_A_VALUE = re.compile(r"(?<=δ) (?==)|(?<=δ =) |(?<=\d) (?=%)")
_LIST_ITEM = re.compile(r"^(\d*)([-+.)])(?=\s|$)")
# Control characters, and marks that change the direction of text.
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")
# No sentence of ours comes near it.
MAX_LETTERS = 4_000


def verbatim(text: str) -> str:
    """Escape one line of Markdown to show exactly this text: no markup, icon, formula or link.

    A text of more than `MAX_LETTERS` letters is cut.
    """
    text = printable_line(text)
    if len(text) > MAX_LETTERS:
        text = f"{text[: MAX_LETTERS - 1]}…"
    # Word by word: a pattern that looks for words takes the square of a long one's length.
    shown = " ".join(
        _code(word) if _ACTS_LATE.search(word) else _escaped(word) for word in text.split(" ")
    )
    return _LIST_ITEM.sub(r"\1\\\2", shown)


def printable_line(text: str) -> str:
    """Drop from one line control characters and marks that change the direction of text."""
    return on_one_line(_INVISIBLE.sub(" ", text))


def unbroken(text: str) -> str:
    """Keep "δ = 10⁻⁵" and "85.0 %" each on one line."""
    return _WITHIN_A_VALUE.sub("\u00a0", text)


def refuse(refusal: Exception | str, icon: str = ":material/block:") -> None:
    """Show the reason for a refusal, one sentence a line; they may quote anything."""
    st.error("\n\n".join(map(verbatim, str(refusal).split("\n"))), icon=icon)


def _escaped(text: str) -> str:
    return _MARKS.sub(r"\\\g<0>", text)


def _code(text: str) -> str:
    longest_run = max(map(len, re.findall("`+", text)), default=0)
    fence, padding = "`" * (longest_run + 1), " " if longest_run else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def show_on_paper(text: str) -> None:
    """Show a line of plain text on paper alone; assets/page.css hides it on screen."""
    st.html(on_paper(text))


def on_paper(text: str) -> str:
    """Write such a line as HTML."""
    return f'<p class="on_paper">{escape(printable_line(text))}</p>'
