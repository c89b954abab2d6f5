"""Controls as Streamlit draws them, as `dpcore.controls` declares them; bound to the address."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Literal

import streamlit as st

from dpcore.controls import Control, Kind, Number, OneOf, Page, SomeOf, Stops, Switch, Text

MOST_STRETCHED = 3
OnChange = Callable[[], None] | Literal["rerun"]


class Form:
    """The controls of a page, drawn one by one where the page wants them.

    Parameters
    ----------
    page : Page
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: dict[str, Any] = {}
        """What the controls drawn so far say, by key."""

    def draw(self, *keys: str, **more: Any) -> Any:
        """Draw these controls, but for those that the others leave no use for.

        Parameters
        ----------
        *keys : str
        **more
            For `drawn`.

        Returns
        -------
        object
            What the last of them says; ``None`` where it is not there.
        """
        value = None
        for key in keys:
            control, value = self.page[key], None
            if control.shown(self.said):
                value = self.said[key] = drawn(control, **more)
        return value


def drawn(
    control: Control,
    *,
    label: str = "",
    help: str = "",
    among: Collection[str] | None = None,
    disabled: bool = False,
    on_change: OnChange = "rerun",
    width: int | Literal["stretch", "content"] | None = None,
) -> Any:
    """Draw one control, and say what it says.

    Parameters
    ----------
    control : Control
    label, help : str
        In place of its own.
    among : collection of str, optional
        The keys that are offered in this view.
    disabled : bool
    on_change : callable or "rerun"
    width : int or str, optional
        In pixels, "stretch" or "content"; many options side by side take the room they need.
    """
    kind = control.kind
    common: dict[str, Any] = {
        "key": control.key,
        "help": help or control.help or None,
        "disabled": disabled,
        "bind": "query-params",
        "width": width or _width(kind),
        "on_change": on_change,
    }
    name = label or control.label
    if isinstance(kind, Switch):
        return st.toggle(name, control.default, **common)
    if isinstance(kind, Text):
        return st.text_input(
            name,
            control.default or "",
            max_chars=kind.most,
            placeholder=control.placeholder or None,
            **common,
        )
    if isinstance(kind, Number):
        return _number(name, kind, control, common)
    if isinstance(kind, Stops):
        return _stops(name, kind, control, common)
    titles = dict(kind.options())
    offered = [key for key in titles if among is None or key in among]
    if isinstance(kind, SomeOf):
        return st.pills(
            name,
            offered,
            format_func=titles.__getitem__,
            selection_mode="multi",
            default=[key for key in control.default if key in offered],
            **common,
        )
    return _one_of(name, kind, control, titles, offered, common)


def _width(kind: Kind) -> Literal["stretch", "content"]:
    many = isinstance(kind, OneOf) and kind.row and len(kind.options()) > MOST_STRETCHED
    return "content" if many or isinstance(kind, SomeOf) else "stretch"


def _number(name: str, kind: Number, control: Control, common: dict[str, Any]) -> Any:
    if kind.slider:
        least, most = int(kind.least), int(kind.most)
        return st.slider(name, least, most, control.default, format="%d %%", **common)
    shape: dict[str, Any] = (
        {"step": 1} if kind.whole else {"step": float(kind.step), "format": "%.6g"}
    )
    number = int if kind.whole else float
    return st.number_input(
        name,
        number(kind.least),
        number(kind.most),
        None if control.default is None else number(control.default),
        placeholder=control.placeholder or None,
        **shape,
        **common,
    )


def _stops(name: str, kind: Stops, control: Control, common: dict[str, Any]) -> Any:
    if not kind.row:
        return st.select_slider(
            name, kind.values, value=control.default, format_func=kind.shown, **common
        )
    picked = st.segmented_control(
        name,
        kind.values,
        format_func=kind.shown,
        default=control.default,
        required=True,
        **common,
    )
    return control.default if picked is None else picked


def _one_of(
    name: str,
    kind: OneOf,
    control: Control,
    titles: dict[str, str],
    offered: list[str],
    common: dict[str, Any],
) -> str | None:
    empty = control.default is None and bool(control.placeholder)
    first = control.default if control.default in offered else offered[0]
    if kind.row:
        picked = st.segmented_control(
            name,
            offered,
            format_func=titles.__getitem__,
            default=first,
            required=True,
            **common,
        )
    else:
        picked = st.selectbox(
            name,
            offered,
            None if empty else offered.index(first),
            format_func=titles.__getitem__,
            placeholder=control.placeholder or None,
            **common,
        )
    return picked or (None if empty else first)
