"""Keep the account's entries in the address, and draw each as a row with a box to change it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import streamlit as st

from dpcore.accounting.account import Account, Statement, shared
from dpcore.accounting.entries import (
    EVERY,
    FIRST_DAY,
    LAST_DAY,
    LONGEST_TITLE,
    MAX_COLUMNS,
    MAX_COUNT,
    MAX_ENTRIES,
    MAX_LETTERS,
    PAIR,
    PURE,
    AccountEntry,
    from_csv,
    from_link,
    to_link,
)
from dpcore.controls.common import ADJACENCIES
from dpcore.controls.control import Link, Refusal
from dpcore.controls.options import exactly
from dpcore.controls.plan import ENTRIES, FIRST, NO_ENTRIES, QUESTION
from dpcore.datasets.own.typed_numbers import meant
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.questions.account import words
from dpcore.questions.account.usual import first_day, following, of_records, usual, with_too_many
from dpcore.words import plain, spaced
from dpcore.words import typed as as_typed
from pages.plan import controls
from pages.server import transfers
from pages.shared.session import control_value, set_controls, store, stored
from pages.shared.verbatim import refuse, verbatim

Rows = dict[int, AccountEntry]
OF_FILE = (0, "file")
PEOPLE = "account people"
"""Where the number of people is stored that trainings on all of them count with."""
MAX_ROWS = 30  # drawn with a box of their own; the table holds all
ROOM = 480  # pixels, about as high as an entry's box
WAYS = {
    "training": {"noise": "Noise multiplier", "share": "A share of the budget"},
    "release": {"noise": "Noise σ/Δ", "epsilon": "ε of each", "share": "A share of the budget"},
    "laplace": {"epsilon": "ε of each", "share": "A share of the budget"},
    "model": {"epsilon": "ε of each", "share": "A share of the budget"},
}
AMOUNTS = {"noise": "noise", "epsilon": "ε", "share": "share", "delta": "δ"}
"""Fields of one number that are typed as texts, and what refusals call them."""
WAY_VALUES = {"noise": 10.0, "epsilon": 0.1, "share": 1.0}
SAMPLINGS = {"poisson": "By chance (Poisson)", "fixed": "Fixed size"}
SAME = "That of the account"
TOO_MANY = (
    "The data have {people} people, but the account counts {entries}: of fewer records a "
    "training costs a larger ε."
)
SPREAD = (
    "Spread: every entry gets a share of the budget. The noise is then the least that keeps it."
)
MODEL = (
    "As Explore trains it, corrected. A tree counts with its pure ε, DP-GD with its Gaussian "
    "noise. Where (ε, δ) alone is proved, that δ is taken from the account's."
)
TABLE = (
    "As Describe shows it, by two groups or more. The error is that of noise alone, in 95 of 100 "
    "tables, with every column of numbers: columns of words cost less."
)
OTHER_UNIT = (
    "It can't be added to your account, in which another change counts as one person's data: {}, "
    "and here {}."
)
OTHER_BUDGET = "Your account is for n = {}: it adds this up at its own δ = {}."


def first_entries() -> tuple[AccountEntry, ...]:
    return (usual("training", first_day(date.today()), stored(PEOPLE) or FIRST.records),)


def check(link: Link) -> list[Refusal]:
    """Say what of the link's account can't be followed."""
    refusals = []
    for text in link.get(ENTRIES, ()):
        try:
            _read(text)
        except InvalidInput as refusal:
            reason = f"an account that cannot be followed: {verbatim(str(refusal))}"
            refusals.append(Refusal(ENTRIES, text, reason))
    return refusals


def _read(text: str) -> tuple[AccountEntry, ...]:
    return () if text == NO_ENTRIES else from_link(text)


def current() -> Rows:
    """Return the entries by number: the address's where it has changed, else those of before."""
    text = st.query_params.get(ENTRIES, "")
    rows: Rows | None = stored("account rows")
    if rows is None or text != stored("account written"):
        try:
            entries = _read(text) if text else first_entries()
        except InvalidInput as refusal:  # typed into the address of an open page
            refuse(refusal)
            entries = first_entries()
        rows = _numbered(entries)
        store("account example", None if text else next(iter(rows)))
        store("account written", text)
        if text:
            store(PEOPLE, None)  # what an address states stays as it is
    return rows


def follow(people: int) -> Rows:
    """Return the entries by number, with trainings on all people on this many of them."""
    rows = current()
    before = stored(PEOPLE) or (people if st.query_params.get(ENTRIES) else FIRST.records)
    if before != people:
        rows |= {number: of_records(entry, before, people) for number, entry in rows.items()}
    store(PEOPLE, people)
    return rows


def too_many(people: int) -> None:
    """Warn of trainings on more records than there are people, with a way to count them right."""
    entries = with_too_many(list((stored("account rows") or {}).values()), people)
    if not entries:
        return
    names = dict.fromkeys(
        f"“{entry.what}” with n = {spaced(entry.records or 0)}" for entry in entries
    )
    st.warning(verbatim(TOO_MANY.format(entries=" and ".join(names), people=spaced(people))))
    st.button(f"Count with n = {spaced(people)}", on_click=_count_with, args=(people,))


def _count_with(people: int) -> None:
    rows = _at_click()
    for number, entry in rows.items():
        if with_too_many([entry], people):
            rows[number] = of_records(entry, entry.records or people, people)


def _at_click() -> Rows:
    """The entries for a button to change, whatever the address holds.

    A quick click comes with the address of before the last one, which is then no way back.
    """
    rows: Rows | None = stored("account rows")
    if rows is None:
        return current()
    store("account written", st.query_params.get(ENTRIES, ""))
    return rows


def _numbered(entries: tuple[AccountEntry, ...]) -> Rows:
    """The entries under new numbers, so that no box shows what another entry had."""
    rows = {_new_number(): entry for entry in entries}
    store("account rows", rows)
    store("account refused", {})
    return rows


def _new_number() -> int:
    number = (stored("account numbers") or 0) + 1
    store("account numbers", number)
    return number


def write() -> None:
    """Write the entries into the address, so that a copied link holds them."""
    entries = tuple((stored("account rows") or {}).values())
    text = "" if entries == first_entries() else to_link(entries) or NO_ENTRIES
    if len(text) > MAX_LETTERS:
        refuse("The account is too long for a link: take it along as a file instead.")
        return
    if text == st.query_params.get(ENTRIES, ""):
        return
    store("account written", text)
    if text:
        st.query_params[ENTRIES] = text
    else:
        del st.query_params[ENTRIES]


def add(entry: AccountEntry) -> None:
    """Add an entry; for a button."""
    rows = _at_click()
    if len(rows) < MAX_ENTRIES:
        rows[_new_number()] = entry


def add_next(kind: str, records: int = FIRST.records) -> None:
    """Add one more of a kind; for a button.

    What is added follows from the account as it is at the click, not as it was drawn: clicks may
    come faster than the page.
    """
    add(following(tuple(_at_click().values()), kind, date.today(), records))


def add_dated(entry: AccountEntry) -> None:
    """Add an entry on the day of one more of its kind; for a button."""
    day = following(tuple(_at_click().values()), entry.kind, date.today()).first
    add(replace(entry, first=day))


def offer(found: AccountEntry, delta: float, adjacency: Adjacency, people: int) -> None:
    """Draw a button that adds the entry to the account, or say why that can't be.

    The entry says for which n and δ it was found, where the account has others.
    """
    account_delta, account_adjacency, account_people = controls.account_counts()
    if adjacency is not account_adjacency:
        st.caption(OTHER_UNIT.format(account_adjacency, adjacency))
        return
    if (delta, people) != (account_delta, account_people):
        found = replace(found, what=f"Found at n = {people}, δ = {as_typed(delta)}")
        st.caption(OTHER_BUDGET.format(spaced(account_people), plain(account_delta)))
    st.button(
        "Add it to my account",
        icon=":material/playlist_add:",
        on_click=_add_found,
        args=(found,),
    )


def _add_found(found: AccountEntry) -> None:
    add_dated(found)
    write()
    set_controls({QUESTION.key: "account"})


def put(entries: tuple[AccountEntry, ...]) -> None:
    """Put these in place of all entries; for a button."""
    _at_click()
    _numbered(entries)


def example() -> None:
    """Say that the first entry is an example, until it is changed, with a way to go without it."""
    # Kept when nothing is said: an open box whose place shifts is closed and drawn anew.
    place = st.container(horizontal=True, vertical_alignment="center")
    number = stored("account example")
    rows = current()
    if number is None or rows.get(number) != first_entries()[0]:
        return
    with place:
        st.caption("An example to begin with.", width="content")
        label = "Begin empty" if len(rows) == 1 else "Remove the example"
        st.button(label, key="account example", type="tertiary", on_click=_remove, args=(number,))


def buttons(records: int) -> None:
    """Draw the buttons that add entries, and those that change all of them."""
    with st.container(horizontal=True):
        _button("Add a training", ":material/model_training:", add_next, "training", records)
        _button("Add weekly releases", ":material/event_repeat:", add_next, "release")
        with st.popover("More", icon=":material/more_horiz:"):
            _button("Add a table of Describe", "", add_next, "table", records)
            _button("Add a release with Laplace noise", "", add_next, "laplace")
            _button("Add a model of Explore", "", add_next, "model")
            _button("Add what is already spent", "", add_next, "spent")
            st.caption(SPREAD)
            _button("Spread the budget over all", "", _spread)
            _button("Remove all", "", put, ())
            file = st.file_uploader(
                "Open a file (CSV)",
                "csv",
                key="account_file",
                max_upload_size=transfers.allow(transfers.SMALL),
            )
            if file is not None:
                _button("Use this file", "", put_file, file.getvalue())


def put_file(data: bytes) -> None:
    try:
        put(from_csv(data[: 4 * MAX_LETTERS].decode()))
    except InvalidInput as refusal:
        _tell(OF_FILE, str(refusal))
    except UnicodeDecodeError:
        _tell(OF_FILE, "The file is no text (UTF-8), but it must be a table (CSV).")


def _button(label: str, icon: str, do: Callable[..., None], *arguments: Any) -> None:
    st.button(label, icon=icon or None, on_click=do, args=arguments, key=f"account {label}")


def _spread() -> None:
    put(tuple(map(shared, _at_click().values())))


def draw(
    shown: dict[int, AccountEntry],
    account: Account | None = None,
    statement: Statement | None = None,
) -> None:
    """Draw one row an entry, and the box in which it is changed.

    An open box covers the answer above (`statement`), and so holds it, too.
    """
    rows = current()
    adjacency = Adjacency.ZERO_OUT if account is None else account.adjacency
    refused: dict[tuple[int, str], str] = stored("account refused") or {}
    if sentence := refused.get(OF_FILE):
        refuse(sentence)
    for number, entry in list(rows.items())[:MAX_ROWS]:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            name, rest = map(
                verbatim, words.entry(shown.get(number, entry), entry.share, adjacency)
            )
            basis = "" if account is None else words.basis(shown.get(number, entry), account)
            st.markdown(f"**{name}** · {rest}", width="stretch", help=basis or None)
            box = st.popover("Change", key=f"entry {number}", on_change="rerun", type="tertiary")
            sentences = [said for (place, _), said in refused.items() if place == number]
            with box:
                if not box.open:
                    # It opens to the side that has room for what it holds at that moment.
                    st.space(ROOM)
                else:
                    if statement is not None:
                        _answer_again(number, statement, sentences)
                        sentences = []
                    _fields(number, entry)
                    st.button(
                        "Remove it",
                        icon=":material/delete:",
                        key=f"remove {number}",
                        on_click=_remove,
                        args=(number,),
                    )
        for sentence in sentences:
            refuse(sentence)
    if len(rows) > MAX_ROWS:
        st.caption(f"{len(rows) - MAX_ROWS} more are in the tables and files below.")


def _answer_again(number: int, statement: Statement, refusals: Sequence[str]) -> None:
    """Draw the answer, and what is refused, where a box is open; page.css keeps it in sight."""
    with st.container(key=f"answer_again {number}"):
        st.markdown(f"**{verbatim(words.spent(statement))}**", help=words.held_by(statement))
        for sentence in refusals:
            refuse(sentence)


def _remove(number: int) -> None:
    _at_click().pop(number, None)


def _fields(number: int, entry: AccountEntry) -> None:
    box = _Box(number)
    box.text("what", "Name", entry.what)
    if entry.kind != "spent":
        with st.container(horizontal=True):
            box.whole("count", "How many", entry.count, 1, MAX_COUNT)
            box.choice(
                "every", "One every", dict(zip(EVERY, words.EVERY, strict=True)), entry.every
            )
    box.day("first", "First day", entry.first)
    if entry.kind in WAYS:
        ways = WAYS[entry.kind]
        way = next(name for name in ways if getattr(entry, name) is not None)
        box.way(ways, way)
        box.amount(way, ways[way], getattr(entry, way))
    if entry.columns is not None:
        with st.container(horizontal=True):
            box.whole("records", "Records n", entry.records or 1, 1, 1_000_000_000)
            box.whole("columns", "Columns", entry.columns, 1, MAX_COLUMNS)
        st.caption(TABLE)
    if entry.kind == "model":
        box.choice("method", "Method", words.methods(), str(entry.method))
        if entry.proof != PURE:
            usual_delta = "1e-7" if entry.proof == PAIR else "the account's"
            box.amount("delta", f"δ of each (0: {usual_delta})", entry.delta or 0.0)
        st.caption(MODEL)
    if entry.kind == "training":
        with st.container(horizontal=True):
            box.whole("records", "Records n", entry.records or 1, 1, 1_000_000_000)
            box.whole("batch", "Batch size", entry.batch or 1, 1, 1_000_000_000)
            box.whole("epochs", "Epochs", entry.epochs or 1, 1, 1_000_000)
        box.choice("sampling", "Batches", SAMPLINGS, entry.sampling or "poisson")
    if entry.kind == "spent":
        with st.container(horizontal=True):
            box.amount("epsilon", "ε", entry.epsilon or 0.0)
            box.amount("delta", "δ", entry.delta or 0.0)
        titles = {"": SAME} | ADJACENCIES
        box.choice("adjacency", "It protects", titles, str(entry.adjacency or ""))


class _Box:
    def __init__(self, number: int) -> None:
        self.number = number

    def _common(self, field: str) -> dict[str, Any]:
        return {
            "key": f"entry {self.number} {field}",
            "on_change": _set,
            "args": (self.number, field),
        }

    def text(self, field: str, label: str, value: str) -> None:
        st.text_input(label, value, LONGEST_TITLE, **self._common(field))

    def whole(self, field: str, label: str, value: int, least: int, most: int) -> None:
        st.number_input(label, least, most, value, **self._common(field), width=150)

    def amount(self, field: str, label: str, value: float) -> None:
        st.text_input(label, exactly(value), 20, **self._common(field), width=170)

    def choice(self, field: str, label: str, titles: dict[str, str], value: str) -> None:
        st.selectbox(
            label,
            list(titles),
            list(titles).index(value),
            format_func=titles.__getitem__,
            **self._common(field),
        )

    def day(self, field: str, label: str, value: date) -> None:
        st.date_input(label, value, FIRST_DAY, LAST_DAY, **self._common(field))

    def way(self, titles: dict[str, str], value: str) -> None:
        st.segmented_control(
            "The noise follows from",
            list(titles),
            default=value,
            format_func=titles.__getitem__,
            required=True,
            **self._common("way"),
        )


def _set(number: int, field: str) -> None:
    rows = _at_click()
    entry, value = rows.get(number), control_value(f"entry {number} {field}")
    if entry is None:
        return
    changes: dict[str, Any] = {field: value}
    if field == "way":
        changes = dict.fromkeys(WAYS[entry.kind]) | {value: WAY_VALUES[value]}
    elif field == "adjacency":
        changes = {field: Adjacency(value) if value else None}
    elif field == "method":
        changes = {field: value, "delta": None}  # each has the δ that its proof needs
    elif field == "delta" and entry.kind == "model" and value in ("", "0"):
        changes = {field: None}
    try:
        if changes.get(field) is not None and field in AMOUNTS:
            changes[field] = meant(AMOUNTS[field], value)
        rows[number] = replace(entry, **changes)
        for name in changes:  # another way of stating the noise takes the others' fields away
            _tell((number, name), "")
    except InvalidInput as refusal:
        _tell((number, field), str(refusal))


def _tell(place: tuple[int, str], sentence: str) -> None:
    """Keep why a field is refused until it is set to something else."""
    refused: dict[tuple[int, str], str] = stored("account refused") or {}
    refused.pop(place, None)
    store("account refused", refused | ({place: sentence} if sentence else {}))
