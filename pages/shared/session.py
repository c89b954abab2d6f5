"""Give the only access to the session state: values that outlive a rerun."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

if TYPE_CHECKING:
    from dpcore.controls.control import Control

Value = TypeVar("Value")
ACTING = "acting on predictions"
"""Name under which a session remembers from which risk one acts, for a release."""
DESCRIBED = "described table"
"""Name under which it remembers what was asked of a table last, for a release."""


def once(name: str, make: Callable[[], Value]) -> Value:
    """Return the value of `make()`, which is called once in the session."""
    key = f"_once_{name}"
    if key not in st.session_state:
        st.session_state[key] = make()
    value: Value = st.session_state[key]
    return value


def control_text(key: str) -> str:
    """A control's value as text before it is drawn in this run; empty on the first run."""
    return str(st.session_state.get(key, ""))


def control_value(key: str) -> Any:
    """The value of a control before it is drawn in this run, or None."""
    return st.session_state.get(key)


def set_controls(values: Mapping[str, object]) -> None:
    """Set controls before they are drawn, in a callback or earlier in the script."""
    for key, value in values.items():
        st.session_state[key] = value


def follow(key: str, value: object) -> None:
    """Set a control that follows something else, unless it has this value already.

    A control that is set is sent anew, and the browser takes that for the step that a reader makes
    meanwhile.
    """
    if control_value(key) != value:
        set_controls({key: value})


def store(name: str, value: object) -> None:
    """Store any value for the rest of this session."""
    st.session_state[f"_kept_{name}"] = value


def stored(name: str) -> Any:
    """The value last stored under this name, or None."""
    return st.session_state.get(f"_kept_{name}")


def on_leaving(name: str, call: Callable[[], None]) -> None:
    """Have something done once, as soon as another page is opened; the last by a name counts."""
    store("leaving", {**(stored("leaving") or {}), name: call})


def leave() -> None:
    """Do what was left for the moment at which the page is left."""
    calls = stored("leaving") or {}
    store("leaving", None)
    for call in calls.values():
        call()


def share(control: Control, value: object) -> None:
    """Note the value of a control that belongs to the state which pages share."""
    if control.state:
        store("state", {**shared_state(), control.state: value, control.key: value})


def shared_state() -> dict[str, object]:
    """The last value of each part of the state, and of each control that shows one."""
    return stored("state") or {}
