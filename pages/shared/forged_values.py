"""Ignores a control's value that no browser with this page sends, such as text for a number.

Streamlit hands whatever a message holds to the control's reader, which then fails: an error page,
and a traceback in the log.
"""

from __future__ import annotations

from typing import Any

from streamlit.runtime.state.session_state import Serialized, WStates

_value_of = WStates.__getitem__


def _readable_value(self: WStates, key: str) -> Any:
    state, declared = self.states.get(key), self.widget_metadata.get(key)
    if not isinstance(state, Serialized) or declared is None:
        return _value_of(self, key)
    kind = state.value.WhichOneof("value")
    if kind not in (None, declared.value_type):
        raise KeyError(key)
    try:
        value = _value_of(self, key)
    except Exception:  # whatever a reader of Streamlit's raises at what it was not made for
        raise KeyError(key) from None
    # Streamlit takes the kind from the message, and an empty field has none.
    self.set_widget_metadata(declared)
    return value


def ignore() -> None:
    """Make every control keep its earlier or first value instead."""
    WStates.__getitem__ = _readable_value  # type: ignore[method-assign]
