"""The settings in a link: its version, and one plain sentence for each refused setting.

A current link holds ``v=4``. A link without a version dates from before the number of records was
public by default, one with ``v=2`` from before Explore began with the cohort, one with ``v=3`` from
before it began with features by rule. All are rewritten for today's controls; an address without
settings is new.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import streamlit as st

from dpcore.controls.control import Control, OneOf
from dpcore.controls.link import Link, Refusal, check
from dpcore.guarantee import Adjacency
from pages.shared.session import set_controls, store, stored
from pages.shared.verbatim import verbatim

VERSION, THIS, BEFORE_THIS = "v", "4", ("2", "3")
BEFORE = {str(Adjacency.ADD_REMOVE): "One record more or less"}
"""Its title on every page, also on pages that no longer offer it."""

_VERSION = Control(
    VERSION,
    "",
    OneOf({THIS: THIS}),
    default=THIS,
    noun="the version",
    fallback_name=f"version {THIS}",
)
RESTATED = (
    "A link without a version is older than the public number of records. It is read for one "
    "record more or less. It opens with one person's record blanked out, for which the "
    "same figures are proved."
)
REPLACED = (
    "A link without a version is read by the defaults of before, for one record replaced. A new "
    "visit begins with one record blanked out."
)
MAX_REFUSALS = 12
MAX_LETTERS = 40


def quoted(value: str) -> str:
    """A value from a link as short Markdown, with only its letters and common signs."""
    text = re.sub(r"[^\w .,:;+\-−–·()/²]", "", value)[:MAX_LETTERS].strip()
    return f"“{verbatim(text)}”" if text else "something unreadable"


def read_link() -> dict[str, list[str]]:
    """Values of every setting in the link, by name.

    Streamlit replaces unknown values by the default and drops them from the address, so call this
    before any control is drawn, on the session's first run.
    """
    return {name: st.query_params.get_all(name) for name in st.query_params}


def upgrade_link(
    page: str,
    control: str,
    titles: Mapping[str, str],
    old_adjacency: Callable[[Link], Adjacency | None],
    old_values: Callable[[Link], Mapping[str, tuple[str, str]]] = lambda _: {},
) -> None:
    """Rewrite a link from before `VERSION`; call this first in every run of a page.

    Parameters
    ----------
    page : str
        Name of the page; its old link is remembered under it.
    control : str
        Key of the page's adjacency control.
    titles : mapping
        Adjacency to title of that control; zero-out, today's default, is the first.
    old_adjacency : callable
        (link) -> the adjacency that a link from before `VERSION` meant where it named none, or
        ``None`` where that has not changed.
    old_values : callable
        (link) -> (value, title) of other controls that an older link does not name, if its meaning
        is no longer the default; also called for a link of the second or third version.
    """
    link, old_link = read_link(), stored(f"{page} old link")
    first_run = not stored(f"{page} opened")
    store(f"{page} opened", True)
    if _is_older(link):
        implied = old_values(link)
        if implied:
            _write_anew(page, link, implied, first_run=first_run)
        sign()
    elif link and VERSION not in link:
        # Going back may lead to the link that was rewritten; any other address without a version
        # was written by the controls since.
        if first_run or link == old_link:
            _rewrite(
                page, control, titles, old_adjacency(link), old_values(link), first_run=first_run
            )
        sign()
    if pending := stored(f"{page} now"):
        set_controls(pending)
        store(f"{page} now", None)


def _rewrite(
    page: str,
    control: str,
    titles: Mapping[str, str],
    old_adjacency: Adjacency | None,
    old_values: Mapping[str, tuple[str, str]],
    *,
    first_run: bool,
) -> None:
    """Write the old link's meaning into the address; reruns the page if that changes it."""
    link, default = read_link(), next(iter(titles))
    keys_by_title = {title: key for key, title in {**titles, **BEFORE}.items()}
    old_value = (
        keys_by_title.get(link[control][-1], default)
        if control in link
        else str(old_adjacency or default)
    )
    is_restated = old_value == Adjacency.ADD_REMOVE
    new_value = default if is_restated else old_value
    store(f"{page} old link", link)
    is_assumed = control not in link and new_value == Adjacency.REPLACE_ONE != default
    store(f"{page} restated", RESTATED if is_restated else REPLACED if is_assumed else "")
    new_link = {name: values for name, values in link.items() if name != control or not is_restated}
    if control not in link and new_value != default:
        new_link[control] = [titles[new_value]]
    if new_link == link and not old_values:
        return
    implied = {control: (new_value, titles[new_value]), **old_values}
    _write_anew(page, new_link, old_values if first_run else implied, first_run=first_run)


def _write_anew(
    page: str, link: Link, implied: Mapping[str, tuple[str, str]], *, first_run: bool
) -> None:
    """Begin anew with a link, and with the values and titles that it implies besides."""
    if first_run:
        # In one change, as each change is a step in the browser's history.
        new_link = {**link, **{name: [title] for name, (_, title) in implied.items()}}
        st.query_params.from_dict({**new_link, VERSION: THIS} if new_link else {})
    else:
        # The controls are drawn already, and write their part of the address themselves.
        store(f"{page} now", {name: value for name, (value, _) in implied.items()})
        sign()
    st.rerun()  # controls begin with what the address holds at a run's start


def _is_older(link: Link) -> bool:
    """Whether a link is of the second or third version."""
    return len(versions := link.get(VERSION, ())) == 1 and versions[0] in BEFORE_THIS


def sign() -> None:
    """Write the version into an address that holds any setting."""
    link = read_link()
    if link and (VERSION not in link or _is_older(link)):
        st.query_params[VERSION] = THIS


def write(name: str, value: str | Sequence[str]) -> None:
    """Write a setting that no control is bound to into the address."""
    st.query_params.update({name: value, VERSION: THIS})


def tell(page: str, refusals: str) -> None:
    """Show what of the page's link is refused, and by which defaults an old one is read."""
    if refusals:
        st.warning(refusals, icon=":material/link_off:")
    notice = stored(f"{page} restated")
    if notice:
        st.info(notice, icon=":material/history:")


def validate_link(
    controls: Iterable[Control],
    among: Mapping[str, Collection[str]] | None = None,
    others: Mapping[str, Callable[[Link], list[Refusal]] | None] | None = None,
) -> str:
    """Remove from the address what no control of the page allows; returns a message about it.

    Parameters
    ----------
    controls : iterable of Control
    among : mapping, optional
        Texts allowed in this view by control key, if these are fewer.
    others : mapping, optional
        Settings that no control has, with the functions that check them.
    """
    controls, others = list(controls), others or {}
    _rename(controls)
    link = read_link()
    refusals = check(controls, link, quoted, among)
    refusals += unknown_settings(link, {*(control.key for control in controls), *others})
    for check_setting in filter(None, others.values()):
        refusals += check_setting(link)
    drop(link, refusals)
    return refusal_message(refusals)


def _rename(controls: Iterable[Control]) -> None:
    """Write today's titles into the address where it holds those of before."""
    link = read_link()
    today: dict[str, str | Iterable[str]] = dict(link)
    for control in controls:
        kind = control.kind
        if isinstance(kind, OneOf) and control.key in link:
            titles = {old: kind.options()[key] for old, key in kind.formerly.items()}
            today[control.key] = [titles.get(value, value) for value in link[control.key]]
    if today != link:
        st.query_params.from_dict(today)
        st.rerun()  # controls begin with what the address holds at a run's start


def unknown_settings(link: Mapping[str, Sequence[str]], settings: Collection[str]) -> list[Refusal]:
    """Refusals of settings that the page does not have, and of unknown versions.

    Streamlit hides its own settings, such as ``embed``.
    """
    return check([_VERSION], link, quoted) + [
        Refusal(name, value, f"the setting {quoted(name)}, which this page does not have.")
        for name, values in link.items()
        if name not in {*settings, VERSION}
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
        elif name == VERSION:
            st.query_params[VERSION] = THIS
        else:
            del st.query_params[name]


def refusal_message(refusals: Sequence[Refusal]) -> str:
    """All refusals as one message; empty if there are none."""
    sentences = list(dict.fromkeys(refusal.sentence for refusal in refusals))
    if len(sentences) < 2:
        return "".join(f"The link asks for {sentence}" for sentence in sentences)
    more = len(sentences) - MAX_REFUSALS
    lines = sentences[:MAX_REFUSALS] + ([f"… and {more:,} more."] if more > 0 else [])
    return "The link asks for:\n\n" + "\n".join(f"- {line}" for line in lines)
