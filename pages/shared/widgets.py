"""Draw the controls that `dpcore.controls` declares, bound to the address, and presets of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st
from streamlit.errors import StreamlitAPIException

from dpcore.controls.control import (
    Control,
    Kind,
    Name,
    Number,
    OneOf,
    Page,
    SomeOf,
    Stops,
    Switch,
    Text,
)
from pages.shared.session import (
    control_text,
    control_value,
    follow,
    set_controls,
    share,
    store,
    stored,
)

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

MAX_STRETCHED, MAX_IN_A_BAR = 3, 8
"""Options side by side that share the width, and that stand in one bar; more wrap."""
OnChange = Callable[[], None] | Literal["rerun"]


class ControlForm:
    """The controls of a page, drawn one by one where the page places them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.values: dict[str, Any] = {}
        """Values of the controls drawn so far, by key."""
        self.is_open = True
        """Whether the controls that come next are drawn, or only those that are changed."""

    def group(self, key: str, label: str, keys: Collection[str], icon: str) -> DeltaGenerator:
        """Make a place for controls that few change; closed, they are not drawn.

        A control that has another value than its first is drawn also where the group is closed, as
        the address holds the values of drawn controls only. A note says how many there are. The
        others have their first values unseen: all that is drawn is gone through by the browser at
        each move of another control.
        """
        changed = sum(map(self._is_changed, keys))
        place = st.expander(label, key=key, icon=icon, on_change="rerun", bind="query-params")
        if changed and not place.open:
            noun = "setting" if changed == 1 else "settings"
            st.caption(f"{changed} {noun} changed under {label}.")
        self.is_open = bool(place.open)
        return place

    def _is_changed(self, key: str) -> bool:
        value = control_value(key)
        if value is None:
            return key in st.query_params
        return bool(value != _first(self.page[key]))

    def draw(self, *keys: str, **more: Any) -> Any:
        """Draw these controls, except those that the values of others make irrelevant.

        Returns the last one's value; ``None`` if it is not drawn.
        """
        value = None
        for key in keys:
            control, value = self.page[key], None
            if control.shown(self.values):
                if self.is_open or self._is_changed(key):
                    value = drawn(control, **more)
                else:
                    value = _first(control)
                    share(control, value)
                self.values[key] = value
        return value


def _first(control: Control) -> Any:
    return list(control.default) if isinstance(control.kind, SomeOf) else control.default


def drawn(control: Control, *, usual: Any = None, **settings: Any) -> Any:
    """Draw one control and return its value, which belongs to the state that pages share.

    `usual` is its default in this view; a value that was the default before follows it. Only the
    keys in `among` are offered.
    """
    if usual is not None:
        if follows(control):
            follow(control.key, usual)
        control = replace(control, default=usual)
        store(f"usual {control.key}", usual)
    value = _drawn(control, **settings)
    share(control, value)
    return value


def drawn_aside(control: Control, place: str, **settings: Any) -> Any:
    """Draw a control of one place on the page; no address holds its value."""
    return _drawn(replace(control, key=f"{place} {control.key}"), is_linked=False, **settings)


def follows(control: Control) -> bool:
    """Say whether it still has the default that it was drawn with last, and so follows another."""
    before = stored(f"usual {control.key}")
    return before is not None and control_value(control.key) == before


def chosen(key: str) -> None:
    """Note that a control's value is chosen, whatever default it is equal to."""
    store(f"usual {key}", None)


def _drawn(
    control: Control,
    *,
    label: str = "",
    help: str = "",
    among: Collection[str] | None = None,
    disabled: bool = False,
    on_change: OnChange = "rerun",
    width: int | Literal["stretch", "content"] | None = None,
    is_linked: bool = True,
) -> Any:
    kind = control.kind
    if is_linked:
        _keep_address(control)
    common: dict[str, Any] = {
        "key": control.key,
        "help": help or control.help or None,
        "disabled": disabled,
        "bind": "query-params" if is_linked else None,
        "width": width or _width(kind),
        "on_change": on_change,
    }
    name = label or control.label
    if not name:
        name, common["label_visibility"] = control.noun, "collapsed"
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
    if isinstance(kind, Name):
        return st.selectbox(name, list(among or ()), **common)
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


def _keep_address(control: Control) -> None:
    """Have a value that the address has lost written into it again.

    A run begins with the address that the browser had when it asked for the run. What an earlier
    run has written may still be on its way there, and what is written next would take its place.
    """
    value = control_value(control.key)
    if value not in (None, _first(control)) and control.key not in st.query_params:
        # Streamlit writes the value of a control that is set, and leaves it to Back and Forward.
        set_controls({control.key: value})


def _width(kind: Kind) -> Literal["stretch", "content"]:
    is_wide = isinstance(kind, OneOf) and kind.row and len(kind.options()) > MAX_STRETCHED
    return "content" if is_wide or isinstance(kind, SomeOf) else "stretch"


def _number(name: str, kind: Number, control: Control, common: dict[str, Any]) -> Any:
    if kind.slider:
        least, most = int(kind.least), int(kind.most)
        return st.slider(name, least, most, control.default, format="%d %%", **common)
    step_settings: dict[str, Any] = (
        {"step": 1} if kind.whole else {"step": float(kind.step), "format": "%.6g"}
    )
    convert = int if kind.whole else float
    return st.number_input(
        name,
        convert(kind.least),
        convert(kind.most),
        None if control.default is None else convert(control.default),
        placeholder=control.placeholder or None,
        **step_settings,
        **common,
    )


def _stops(name: str, kind: Stops, control: Control, common: dict[str, Any]) -> Any:
    if not kind.row:
        return st.select_slider(
            name, kind.values, value=control.default, format_func=kind.shown, **common
        )
    choice = st.segmented_control(
        name, kind.values, format_func=kind.shown, default=control.default, required=True, **common
    )
    return control.default if choice is None else choice


def _one_of(
    name: str,
    kind: OneOf,
    control: Control,
    titles: dict[str, str],
    offered: list[str],
    common: dict[str, Any],
) -> str | None:
    starts_empty = control.default is None and bool(control.placeholder)
    first = control.default if control.default in offered else offered[0]
    if kind.row:
        draw = st.segmented_control if len(titles) <= MAX_IN_A_BAR else st.pills
        # The default is not in the address: what stands in for it here must be.
        usual = control.default if control.default in offered else None
        choice = draw(
            name, offered, format_func=titles.__getitem__, default=usual, required=True, **common
        )
    else:
        choice = st.selectbox(
            name,
            offered,
            None if starts_empty else offered.index(first),
            format_func=titles.__getitem__,
            placeholder=control.placeholder or None,
            **common,
        )
    return choice or (None if starts_empty else first)


def choose_preset(
    key: str,
    titles: Mapping[str, str],
    matching: str | None,
    load: Callable[[str], None],
    *,
    placeholder: str,
    help: str,
) -> None:
    """Draw the drop-down, which shows the preset that the controls match."""

    def chosen() -> None:
        choice = control_text(key)
        if choice in titles:
            load(choice)

    set_controls({key: matching})
    st.selectbox(
        "Load a paper's experiment",
        list(titles),
        index=None,
        format_func=titles.__getitem__,
        placeholder=placeholder,
        key=key,
        help=help,
        on_change=chosen,
    )


def hold_preset(
    page: str, values: Mapping[str, object], address: Mapping[str, str | list[str]] | None = None
) -> None:
    """Set the controls of a page, and again in each run until they are drawn.

    An interrupted run of the page loses values that the browser has never seen; the old ones would
    return with the next event. It may interrupt this, too. The browser writes changes into the
    address, but not the first value of a control that comes: that is what `address` holds.
    """
    store(f"{page} preset", (values, address or {}))
    set_held_preset(page)


def set_held_preset(page: str) -> None:
    """Set the controls to the stored values; call this before they are drawn."""
    values, address = stored(f"{page} preset") or ({}, {})
    set_controls(
        {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
    )
    for key in address:
        if key not in st.query_params:
            # A control that is drawn writes its part of the address itself, and lets nobody else.
            with suppress(StreamlitAPIException):
                st.query_params[key] = address[key]


def let_go_of_preset(page: str) -> None:
    """Note that the controls have reached the browser; from now on the reader sets them."""
    store(f"{page} preset", None)
