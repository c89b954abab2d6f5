"""Controls as options of a command, and as the command line that repeats them."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from dpcore.controls.control import Control, Kind, Number, OneOf, SomeOf, Stops, Switch
from dpcore.errors import number, one_of, whole

EXPANDED = '"$`\\!'
"""What a shell reads in double quotes, too."""
SPECIAL = f"{EXPANDED} '&|;<>()*?#"


def add(command: argparse._ActionsContainer, controls: Iterable[Control]) -> None:
    """Add an option for each control that has one; text is read later, by `typed_values`."""
    for control in controls:
        if not control.option:
            continue
        command.add_argument(
            f"--{control.option}",
            action="store_true" if is_flag(control) else "store",
            help=described(control),
        )


def is_flag(control: Control) -> bool:
    kind = control.kind
    if isinstance(kind, OneOf):
        return set(map(type, kind.means.values())) == {bool}
    return isinstance(kind, Switch)


def described(control: Control) -> str:
    """The help of its option: the allowed values, and the meaning."""
    if control.brief:
        return control.brief
    words, kind = _first_sentence(control.help), control.kind
    if is_flag(control) or not isinstance(kind, OneOf | SomeOf) or callable(kind.titles):
        return words
    keys = choices(control)
    names = keys[0] if len(keys) == 1 else f"{', '.join(keys[:-1])} or {keys[-1]}"
    return f"{names}: {words}" if words else names


def choices(control: Control) -> tuple[str, ...]:
    """What the option of a choice may be, in display order."""
    assert isinstance(control.kind, OneOf | SomeOf)
    return tuple(str(control.field_value(key)) for key in control.kind.options())


def _first_sentence(markdown: str) -> str:
    text = re.sub(r"[*_`]", "", markdown)
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0].rstrip(".").replace("%", "%%")


def typed_values(controls: Iterable[Control], options: argparse.Namespace) -> dict[str, Any]:
    """The typed values by key of the control, without the options that were left out."""
    values: dict[str, Any] = {}
    for control in controls:
        typed = getattr(options, control.option.replace("-", "_"), None) if control.option else None
        if typed is None or typed is False:
            continue
        values[control.key] = read(control, typed)
    return values


def read(control: Control, typed: Any) -> Any:
    """One value in the field's type; the description checks it, or this where there is none."""
    kind, name = control.kind, control.option
    if is_flag(control):
        return True
    if isinstance(kind, OneOf) and not control.field:
        return one_of(name, typed, choices(control))
    if _is_whole(kind):
        return whole(name, typed, at_least=0)
    if isinstance(kind, Number | Stops):
        return number(name, typed)
    if isinstance(kind, SomeOf):
        return tuple(part.strip() for part in typed.split(",") if part.strip())
    return typed


def _is_whole(kind: Kind) -> bool:
    if isinstance(kind, Stops):
        return all(isinstance(value, int) for value in kind.values)
    return isinstance(kind, Number) and kind.whole


def written(controls: Iterable[Control], fields: Mapping[str, Any]) -> list[str]:
    """The options that set these fields, in order; none for ``None`` and ``False``."""
    options = []
    for control in controls:
        value = fields.get(control.field) if control.field else None
        if not control.option or value is None or value is False:
            continue
        options.append(f"--{control.option}" + ("" if value is True else f" {exactly(value)}"))
    return options


def exactly(value: Any) -> str:
    """All digits of a number, without a needless ".0"; other values as they are."""
    if isinstance(value, tuple):
        return ",".join(map(exactly, value))
    text = repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
    if text and not set(text) & set(SPECIAL):
        return text
    return shlex.quote(text) if set(text) & set(EXPANDED) else f'"{text}"'
