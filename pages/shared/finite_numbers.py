"""An endless number in an address, such as ``?records=inf``: refused like any other bad value."""

from __future__ import annotations

from streamlit.elements.widgets.number_input import NumberInputSerde

_deserialize = NumberInputSerde.deserialize


def _finite_only(self: NumberInputSerde, ui_value: float | None) -> float | None:
    finite = ui_value is not None and abs(ui_value) < float("inf")
    return _deserialize(self, ui_value if finite else None)


def refuse() -> None:
    """Let a field keep its first value, on this load and when the reader goes back to the address.

    Streamlit 1.67 makes a whole number of it before it looks at the limits, and shows an error page
    in place of the app. The address is taken in before the script runs and again as the reader goes
    back, so nothing that a page can do about its own address would be in time.
    """
    NumberInputSerde.deserialize = _finite_only  # type: ignore[method-assign]
