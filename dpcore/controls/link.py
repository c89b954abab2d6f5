"""The settings in a link: checked against the declarations, and written by them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpcore.controls.control import Control, Number, Page, SomeOf, Text
from dpcore.errors import suggestion
from dpcore.words import as_set

Link = Mapping[str, Sequence[str]]
MAX_LETTERS = 40


@dataclass(frozen=True)
class Refusal:
    """A value of the link that the page cannot use."""

    name: str
    value: str
    sentence: str


def check(
    controls: Iterable[Control],
    link: Link,
    quoted: Callable[[str], str],
    among: Mapping[str, Collection[str]] | None = None,
) -> list[Refusal]:
    """The values that no control allows; `quoted` makes untrusted text safe for the page."""
    refusals = []
    for control in controls:
        allowed = (among or {}).get(control.key)
        for value in link.get(control.key, ()):
            sentence = _sentence(control, value, quoted, allowed)
            if sentence:
                refusals.append(Refusal(control.key, value, sentence))
    return refusals


def _sentence(
    control: Control, value: str, quoted: Callable[[str], str], among: Collection[str] | None
) -> str:
    kind, name = control.kind, f"{control.noun} {quoted(value)}"
    if isinstance(kind, Text):
        return ""
    if isinstance(kind, Number):
        if value == "" or _within(kind, value):
            return ""
        limits = f"a number from {as_set(kind.least)} to {as_set(kind.most)}"
        return f"{name}, but it must be {limits}; it is left out."
    allowed = kind.texts() if among is None else among
    if value in allowed or (value == "" and isinstance(kind, SomeOf)):
        return ""
    fallback_name = control.fallback_name or str(control.text(control.default))
    if fallback_name.endswith("?"):
        fallback_name = f"“{fallback_name}”"
    return (
        f"{name}, which this page does not offer{suggestion(value[:MAX_LETTERS], allowed)}; "
        f"it uses {fallback_name}."
    )


def _within(kind: Number, value: str) -> bool:
    try:
        return kind.least <= float(value) <= kind.most
    except ValueError:
        return False


def address(page: Page, values: Mapping[str, Any]) -> dict[str, str | list[str]]:
    """The settings of a link that opens the page with these values, without the defaults."""
    return {
        key: page[key].text(value)
        for key, value in values.items()
        if value is not None and (value != page[key].default or page[key].by_records)
    }
