"""What the pages say, held where it is written: at most twenty words a sentence."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAID = (
    *("pages", "dpcore/controls", "dpcore/figures", "dpcore/lessons"),
    *("dpcore/audit/court", "dpcore/systems", "dpcore/erm/methods", "dpcore/models/systems"),
)
MAX_WORDS = 20


def texts(node):
    """Line and text of every string; what is put into one counts as a sign.

    Docstrings, and what the command line alone says, are left out.
    """
    below: list[ast.AST] = []
    match node:
        case ast.Expr(value=ast.Constant()) | ast.keyword(arg="brief"):
            return
        case ast.JoinedStr(values=parts):
            written = (
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts
            )
            yield node.lineno, "".join(written)
            below += [part for part in parts if not isinstance(part, ast.Constant)]
        case ast.Constant(value=str(text)):
            yield node.lineno, text
        case _:
            below += ast.iter_child_nodes(node)
    for each in below:
        yield from texts(each)


def long_sentences(source):
    return [
        f"line {line}: {sentence}"
        for line, text in texts(ast.parse(source))
        for sentence in re.split(r"(?<=[.!?])\s+|\n", text)
        if sum(any(map(str.isalpha, word)) for word in sentence.split()) > MAX_WORDS
    ]


def test_a_long_sentence_is_found():
    words = " ".join(["word"] * MAX_WORDS)
    for held in (
        f'X = "{words} {{}}. {words}."',
        f'"""{words} more."""',
        f'f(brief="{words} more")',
    ):
        assert long_sentences(held) == []
    for broken in (
        f'X = "{words}" " more."',
        f'f(f"{words} more {{x}}.")',
        f"f'{{x(\"{words} a\")}}'",
    ):
        assert len(long_sentences(broken)) == 1


@pytest.mark.slow("trains models")
def test_no_sentence_on_a_page_is_longer_than_twenty_words():
    places = [path for name in SAID for path in sorted((ROOT / name).rglob("*.py"))]
    result = [
        f"{path.relative_to(ROOT)}, {sentence}"
        for path in places
        for sentence in long_sentences(path.read_text("utf-8"))
    ]
    assert places
    assert result == [], "\n".join(result)
