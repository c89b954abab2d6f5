"""Search among systems by what people type: hyphens, case, accents and word order do not matter."""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import pairwise

from dpcore.systems.system import System


def matches_query(query: str, system: System) -> bool:
    """Whether every word of the query begins a word of the texts about the system."""
    texts = _texts(system)
    words = [word for word in (_letters(part)[0] for part in query.split()) if word]
    joined = ["", *("".join(pair) for pair in pairwise(words)), ""]
    return all(
        any(_occurs(form, texts) for form in (word, *pair) if form)
        for word, pair in zip(words, pairwise(joined), strict=False)
    )


def _occurs(word: str, texts: tuple[tuple[str, tuple[int, ...]], ...]) -> bool:
    forms = (word, word[:-1]) if word.endswith("s") and len(word) > 3 else (word,)
    return any(text.startswith(forms, start) for text, starts in texts for start in starts)


@cache
def _texts(system: System) -> tuple[tuple[str, tuple[int, ...]], ...]:
    paper = f"paper {system.paper} paper {int(system.paper)}" if system.paper else ""
    works = " ".join(f"{work.title} {work.year}" for work in system.literature)
    software = " ".join(package.name for package in system.software)
    own_texts = (system.key, system.title, system.source, str(system.family), system.what)
    return tuple(map(_letters, (*own_texts, paper, works, software)))


def _letters(text: str) -> tuple[str, tuple[int, ...]]:
    """Letters and digits without accents, case and gaps, and where a word begins among them."""
    letters, starts, inside = "", [], False
    for letter in unicodedata.normalize("NFKD", text):
        if unicodedata.combining(letter):
            continue
        if letter.isalnum():
            if not inside or letter.isupper():
                starts.append(len(letters))
            letters += letter.casefold()
        inside = letter.isalnum()
    # British and American spellings are one.
    return letters.replace("z", "s"), tuple(starts)
