"""Check the settings in a link, with one plain sentence for each that is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import streamlit as st
from streamlit.elements.widgets.number_input import NumberInputSerde

from dpcore.controls.control import Control, Link, OneOf, Refusal, check
from dpcore.words import spaced
from pages.shared.session import once
from pages.shared.verbatim import verbatim

MAX_REFUSALS = 12
MAX_LETTERS = 40
_deserialize = NumberInputSerde.deserialize


def quoted(value: str) -> str:
    """Quote a value from a link as short Markdown, with only its letters and common signs."""
    text = re.sub(r"[^\w .,:;+\-−–·()/²]", "", value)[:MAX_LETTERS].strip()
    return f"“{verbatim(text)}”" if text else "something unreadable"


def read_link() -> dict[str, list[str]]:
    """Read the values of every setting in the link, by name.

    Streamlit replaces unknown values by the default and drops them from the address, so call this
    before any control is drawn, on the session's first run.
    """
    return {name: st.query_params.get_all(name) for name in st.query_params}


def check_once(page: str, validate: Callable[[], str]) -> None:
    """Check a page's link on its first run of the session, and show what of it is refused."""
    tell(once(f"{page}_link", validate))


def tell(refusals: str) -> None:
    """Show what of the page's link is refused."""
    if refusals:
        st.warning(refusals, icon=":material/link_off:")


def validate_link(
    controls: Iterable[Control],
    among: Mapping[str, Collection[str]] | None = None,
    others: Mapping[str, Callable[[Link], list[Refusal]] | None] | None = None,
) -> str:
    """Remove from the address what no control of the page allows; returns a message about it.

    `among` holds the texts allowed in this view, if fewer; `others` the checks of further settings.
    """
    controls, others = list(controls), others or {}
    _write_titles(controls)
    link = read_link()
    refusals = check(controls, link, quoted, among)
    refusals += unknown_settings(link, {*(control.key for control in controls), *others})
    for check_setting in filter(None, others.values()):
        refusals += check_setting(link)
    drop(link, refusals)
    return refusal_message(refusals)


def _write_titles(controls: Iterable[Control]) -> None:
    link = read_link()
    titled: dict[str, str | Iterable[str]] = dict(link)
    for control in controls:
        kind = control.kind
        if isinstance(kind, OneOf) and control.key in link:
            options = kind.options()
            titles = {**options, **{name: options[key] for name, key in kind.also.items()}}
            known = set(options.values())
            titled[control.key] = [
                value if value in known else titles.get(value, value) for value in link[control.key]
            ]
    if titled != link:
        st.query_params.from_dict(titled)
        st.rerun()  # controls begin with what the address holds at a run's start


def unknown_settings(link: Mapping[str, Sequence[str]], settings: Collection[str]) -> list[Refusal]:
    """Refusals of settings that the page does not have.

    Streamlit hides its own settings, such as ``embed``.
    """
    return [
        Refusal(name, value, f"the setting {quoted(name)}, which this page does not have.")
        for name, values in link.items()
        if name not in settings
        for value in values
    ]


def drop(link: Mapping[str, Sequence[str]], refusals: Sequence[Refusal]) -> None:
    """Remove the refused values from the address, so that no copied link holds them.

    Call this before the controls are drawn: a drawn control owns its part of the address.
    """
    for name in {refusal.name for refusal in refusals}:
        refused_values = {refusal.value for refusal in refusals if refusal.name == name}
        allowed_values = [value for value in link[name] if value not in refused_values]
        if allowed_values:
            st.query_params[name] = allowed_values
        else:
            del st.query_params[name]


def refusal_message(refusals: Sequence[Refusal]) -> str:
    sentences = list(dict.fromkeys(refusal.sentence for refusal in refusals))
    if len(sentences) < 2:
        return "".join(f"The link asks for {sentence}" for sentence in sentences)
    more = len(sentences) - MAX_REFUSALS
    lines = sentences[:MAX_REFUSALS] + ([f"… and {spaced(more)} more."] if more > 0 else [])
    return "The link asks for:\n\n" + "\n".join(f"- {line}" for line in lines)


def _finite_only(self: NumberInputSerde, ui_value: float | None) -> float | None:
    is_finite = ui_value is not None and abs(ui_value) < float("inf")
    return _deserialize(self, ui_value if is_finite else None)


def refuse_infinite_numbers() -> None:
    """Have number fields ignore ``?records=inf``, at load and when going back in the browser.

    Streamlit 1.67 converts it to an integer before it checks the limits, and shows an error page
    in place of the app. It reads the address before the script runs, and again when the reader goes
    back, so a page cannot correct its own address in time.
    """
    NumberInputSerde.deserialize = _finite_only  # type: ignore[method-assign]
