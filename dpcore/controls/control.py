"""A control: one declaration for pages, addresses, presets, commands and descriptions.

A link's settings are checked against the declarations, and written by them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpcore.errors import suggestion
from dpcore.words import as_set, typed

Values = Mapping[str, Any]
"""The values of a page's controls, by key."""

LIKE_FIELD = "like the field"
Titles = Mapping[str, str]
"""Key to title on screen; an address holds the title."""
Link = Mapping[str, Sequence[str]]
MAX_LETTERS = 40


@dataclass(frozen=True)
class _Listed:
    titles: Titles | Callable[[], Titles]

    def options(self) -> Titles:
        return self.titles() if callable(self.titles) else self.titles

    def texts(self) -> list[str]:
        return list(self.options().values())


@dataclass(frozen=True)
class OneOf(_Listed):
    """One choice."""

    row: bool = False  # all options side by side
    # key to the field's value, where it is another
    means: Mapping[str, Any] = field(default_factory=dict)
    # what a link may hold in place of a title, to key
    also: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SomeOf(_Listed):
    """Any number of choices; none is allowed."""


@dataclass(frozen=True)
class Number:
    """A number that is typed; both limits are allowed."""

    least: float
    most: float
    step: float = 1
    whole: bool = False
    slider: bool = False  # dragged instead of typed


@dataclass(frozen=True)
class Stops:
    """One of several fixed values, in their order; a slider."""

    values: tuple[Any, ...]  # ascending
    shown: Callable[[Any], str] = typed  # an address holds it
    row: bool = False  # all side by side, no slider

    def texts(self) -> list[str]:
        return [self.shown(value) for value in self.values]


@dataclass(frozen=True)
class Switch:
    def texts(self) -> list[str]:
        return ["true", "false", "True", "False"]


@dataclass(frozen=True)
class Text:
    """Free text of at most `most` letters."""

    most: int


@dataclass(frozen=True)
class Name:
    """One of some names that are known only where it is drawn, such as a table's columns."""

    def texts(self) -> list[str]:
        """All that an address may hold where nobody says more."""
        return []


Kind = OneOf | SomeOf | Number | Stops | Switch | Text | Name


def always(_: Values) -> bool:
    """Show the control whatever the others' values are."""
    return True


def where(**needed: Any) -> Callable[[Values], bool]:
    """Show a control where others, by key, have these values."""
    return lambda values: all(values.get(key) == value for key, value in needed.items())


def _first(kind: Kind) -> str | bool | None:
    """The default where none is named; titles from a register are not loaded for it."""
    if isinstance(kind, OneOf) and not callable(kind.titles):
        return next(iter(kind.titles))
    return False if isinstance(kind, Switch) else None


@dataclass(frozen=True)
class Control:
    """One setting: what a page draws, an address holds and a command has as an option."""

    key: str  # of the widget and in the address; unique over all pages
    label: str
    kind: Kind
    default: Any = None
    help: str = ""
    noun: str = ""  # how a refusal of a link begins; empty for the label's words
    fallback_name: str = ""  # of what replaces a value that is not offered
    field: str = ""  # of the description: "epsilon", "config.clip"
    option: str = LIKE_FIELD
    brief: str = ""  # help of that option; else the first sentence of `help`
    shown: Callable[[Values], bool] = always  # by the values of the controls before it
    placeholder: str = ""
    state: str = ""  # what of the state that pages share it shows: "data", "epsilon", …
    by_records: Callable[[int], Any] | None = None  # the default by n, where that is known

    def __post_init__(self) -> None:
        label = self.label[:1].lower() + self.label[1:]
        is_amount = isinstance(self.kind, Number | Stops)
        usual = {
            "noun": ("", f"a {label} of" if is_amount else f"the {label}"),
            "default": (None, _first(self.kind)),
            "option": (LIKE_FIELD, self.field.rpartition(".")[2].replace("_", "-")),
        }
        for name, (left_out, value) in usual.items():
            if getattr(self, name) == left_out:
                object.__setattr__(self, name, value)

    def usual(self, records: int | None) -> Any:
        """The default for n records; ``None`` where their number is not known."""
        if records is None or self.by_records is None:
            return self.default
        return self.by_records(records)

    def text(self, value: Any) -> str | list[str]:
        """A value as the address holds it."""
        if isinstance(self.kind, OneOf):
            return self.kind.options()[str(value)]
        if isinstance(self.kind, SomeOf):
            return [self.kind.options()[str(key)] for key in value]
        if isinstance(self.kind, Stops):
            return self.kind.shown(value)
        if isinstance(self.kind, Switch):
            return str(bool(value)).lower()
        return str(value)

    def value(self, text: str) -> Any:
        """The value of a choice, number, switch or text that an address holds; else ValueError."""
        if isinstance(self.kind, OneOf):
            keys: dict[str, Any] = {title: key for key, title in self.kind.options().items()}
        elif isinstance(self.kind, Stops):
            keys = {self.kind.shown(value): value for value in self.kind.values}
        elif isinstance(self.kind, Switch):
            keys = {"true": True, "false": False}
        elif isinstance(self.kind, Number):
            return int(text) if self.kind.whole else float(text)
        else:
            return text
        if text not in keys:
            raise ValueError(text)
        return keys[text]

    def field_value(self, value: Any) -> Any:
        """The value of the field."""
        return self.kind.means.get(value, value) if isinstance(self.kind, OneOf) else value

    def control_value(self, value: Any) -> Any:
        """The control's value where the field has this value."""
        means = self.kind.means if isinstance(self.kind, OneOf) else {}
        return next((key for key, field_value in means.items() if field_value == value), value)


def fields(
    controls: Iterable[Control], values: Mapping[str, Any], part: str = ""
) -> dict[str, Any]:
    """The fields that the controls set, of a description or of a part of it, by name."""
    result = {}
    for control in controls:
        prefix, _, name = control.field.rpartition(".")
        if name and prefix == part and control.key in values:
            result[name] = values[control.key]
    return result


class Page:
    """The controls of a page, in display order, with different keys."""

    def __init__(self, *controls: Control) -> None:
        self._controls = {control.key: control for control in controls}
        if len(self._controls) < len(controls):
            raise ValueError("two controls of a page have the same key")

    def __iter__(self) -> Iterator[Control]:
        return iter(self._controls.values())

    def __getitem__(self, key: str) -> Control:
        return self._controls[key]

    def first(self) -> dict[str, Any]:
        """Their values on a first visit, by key."""
        return {control.key: control.default for control in self}

    def fields(self, values: Values, part: str = "") -> dict[str, Any]:
        """The fields of a description that the shown controls set."""
        shown = {
            control.key: control.field_value(values[control.key])
            for control in self
            if control.key in values and control.shown(values)
        }
        return fields(self, shown, part)

    def values(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The controls' values for a description, by key; for presets."""
        settings: dict[str, Any] = {}
        for control in self:
            if control.field in fields:
                value = control.control_value(fields[control.field])
                if control.shown(self.first() | settings | {control.key: value}):
                    settings[control.key] = value
        return settings


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
