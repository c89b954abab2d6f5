"""What a link asks for: of which time it is, and what it could not get, one plain sentence each.

A link of today says so: ``v=2``. One that says nothing is from before the number of records was
public by default, and is rewritten in the words of today; an address without any setting is new.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import streamlit as st

from dpcore.controls import Control, OneOf, Refusal, check
from dpcore.controls.link import Link
from dpcore.guarantee import Adjacency
from pages.shared.session import flag, keep, kept, put, raise_flag
from pages.shared.verbatim import verbatim

VERSION, THIS = "v", "2"
BEFORE = {str(Adjacency.ADD_REMOVE): "One record more or less"}
"""What every page called it, also those that no longer offer it."""

_VERSION = Control(
    VERSION,
    "",
    OneOf({THIS: THIS}),
    default=THIS,
    asked="the version",
    instead=f"version {THIS}",
)
RESTATED = (
    "A link without “v=2” is read by the defaults of before the number of records was public: for "
    "one record more or less. It opens with one person's record blanked out, for which the same "
    "figures are proved."
)
REPLACED = (
    "A link without “v=2” is read by the defaults of before: for one record replaced, where a new "
    "visit begins with one record blanked out."
)
MOST_TOLD = 12
MOST_LETTERS = 40


def quoted(value: str) -> str:
    """A value from outside, short, as Markdown that shows its letters and common signs."""
    kept = re.sub(r"[^\w .,:;+\-−–·()/²]", "", value)[:MOST_LETTERS].strip()
    return f"“{verbatim(kept)}”" if kept else "something unreadable"


def asked() -> dict[str, list[str]]:
    """All that the link asks for, by name.

    Streamlit replaces values it does not know by the default and drops them from the address, so
    this must be called before any control is drawn, on the session's first run.
    """
    return {name: st.query_params.get_all(name) for name in st.query_params}


def renewed(
    page: str,
    control: str,
    titles: Mapping[str, str],
    usual: Callable[[Link], Adjacency | None],
    meant: Callable[[Link], Mapping[str, tuple[str, str]]] = lambda _: {},
) -> None:
    """See to it that the address is of today; to be called first in every run of a page.

    Parameters
    ----------
    page : str
        Name of the page, under which its link is remembered.
    control : str
        The page's control of the neighbour.
    titles : mapping
        Adjacency to title of that control; zero-out, today's default, is the first.
    usual : callable
        (link) -> the adjacency that a link from before `VERSION` meant where it named none, or
        ``None`` where that has not changed.
    meant : callable
        (link) -> for other controls that such a link does not name: (value, title) of what it meant
        where that is no longer the default.
    """
    link, first, old = asked(), not flag(f"{page} opened"), kept(f"{page} old link")
    raise_flag(f"{page} opened")
    if link and VERSION not in link:
        # Back in the browser may lead to the very link that was rewritten; any other address
        # without a version was written by the controls since.
        if first or link == old:
            _rewrite(page, control, titles, usual(link), meant(link), first=first)
        sign()
    if now := kept(f"{page} now"):
        put(now)
        keep(f"{page} now", None)


def _rewrite(
    page: str,
    control: str,
    titles: Mapping[str, str],
    usual: Adjacency | None,
    others: Mapping[str, tuple[str, str]],
    *,
    first: bool,
) -> None:
    """Say in the address what the link meant; the run begins again where that changes it."""
    link, default = asked(), next(iter(titles))
    named = {title: key for key, title in {**titles, **BEFORE}.items()}
    was = named.get(link[control][-1], default) if control in link else str(usual or default)
    restated = was == Adjacency.ADD_REMOVE
    now = default if restated else was
    keep(f"{page} old link", link)
    assumed = control not in link and now == Adjacency.REPLACE_ONE != default
    keep(f"{page} restated", RESTATED if restated else REPLACED if assumed else "")
    new = {name: values for name, values in link.items() if name != control or not restated}
    if control not in link and now != default:
        new[control] = [titles[now]]
    new |= {name: [title] for name, (_, title) in others.items()}
    if new == link:
        return
    if first:
        # All at once, as each change is a step back in the browser.
        st.query_params.from_dict({**new, VERSION: THIS} if new else {})
    else:
        # By now the controls are drawn, and their addresses not ours to change.
        keep(f"{page} now", {control: now} | {name: value for name, (value, _) in others.items()})
        sign()
    st.rerun()  # controls begin with what the address holds at a run's start


def sign() -> None:
    """Have the address say that it is of today, where it holds any setting."""
    if st.query_params and VERSION not in st.query_params:
        st.query_params[VERSION] = THIS


def write(name: str, value: str | Sequence[str]) -> None:
    """Put a setting that no control is bound to into the address."""
    st.query_params.update({name: value, VERSION: THIS})


def tell_restated(page: str) -> None:
    """Say so where the page's link is read by defaults that are not those of a new visit."""
    said = kept(f"{page} restated")
    if said:
        st.info(said, icon=":material/history:")


def validate_link(
    controls: Iterable[Control],
    among: Mapping[str, Collection[str]] | None = None,
    others: Mapping[str, Callable[[Link], list[Refusal]] | None] | None = None,
) -> str:
    """Take out of the address what no control of the page allows; one message about it.

    Parameters
    ----------
    controls : iterable of Control
    among : mapping, optional
        For controls by key: the texts allowed in this view, where those are fewer.
    others : mapping, optional
        Names in the address that no control has, with what checks them.
    """
    controls, others, link = list(controls), others or {}, asked()
    refused = check(controls, link, quoted, among)
    refused += strangers(link, {*(control.key for control in controls), *others})
    for examine in filter(None, others.values()):
        refused += examine(link)
    drop(link, refused)
    return told(refused)


def strangers(link: Mapping[str, Sequence[str]], known: Collection[str]) -> list[Refusal]:
    """The names in the link that no control of the page has, and versions that there are not.

    Streamlit keeps its own, such as ``embed``, to itself.
    """
    return check([_VERSION], link, quoted) + [
        Refusal(name, value, f"the setting {quoted(name)}, which this page does not have.")
        for name, values in link.items()
        if name not in {*known, VERSION}
        for value in values
    ]


def drop(link: Mapping[str, Sequence[str]], refused: Sequence[Refusal]) -> None:
    """Take the refused values out of the address, so that no copied link passes them on.

    Only before the controls are drawn: an address that a control is bound to is not ours to change.
    """
    for name in {one.name for one in refused}:
        gone = {one.value for one in refused if one.name == name}
        left = [value for value in link[name] if value not in gone]
        if left:
            st.query_params[name] = left
        elif name == VERSION:
            st.query_params[VERSION] = THIS
        else:
            del st.query_params[name]


def told(refused: Sequence[Refusal]) -> str:
    """All refusals as one message; empty where there is none."""
    sentences = list(dict.fromkeys(one.sentence for one in refused))
    if len(sentences) < 2:
        return "".join(f"The link asks for {sentence}" for sentence in sentences)
    more = len(sentences) - MOST_TOLD
    lines = sentences[:MOST_TOLD] + ([f"… and {more:,} more."] if more > 0 else [])
    return "The link asks for:\n\n" + "\n".join(f"- {line}" for line in lines)
