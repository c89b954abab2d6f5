"""Refuse infinite numbers in an address, such as ``?records=inf``, like any other bad value."""

from __future__ import annotations

from streamlit.elements.widgets.number_input import NumberInputSerde

_deserialize = NumberInputSerde.deserialize


def _finite_only(self: NumberInputSerde, ui_value: float | None) -> float | None:
    is_finite = ui_value is not None and abs(ui_value) < float("inf")
    return _deserialize(self, ui_value if is_finite else None)


def refuse() -> None:
    """Make a number field ignore an infinite value, at load and when going back in the browser.

    Streamlit 1.67 converts it to an integer before it checks the limits, and shows an error page
    in place of the app. It reads the address before the script runs, and again when the reader goes
    back, so a page cannot correct its own address in time.
    """
    NumberInputSerde.deserialize = _finite_only  # type: ignore[method-assign]
