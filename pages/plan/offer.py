"""Offer to add what was found to the account."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dpcore.accounting.entries import AccountEntry
from dpcore.controls.account import QUESTION
from dpcore.guarantee import Adjacency
from dpcore.rounding import typed
from dpcore.words import plain, spaced
from pages.plan import budget, entries, texts
from pages.shared.session import set_controls


def offer_entry(found: AccountEntry, delta: float, adjacency: Adjacency, people: int) -> None:
    """Draw a button that adds the entry to the account, or say why that can't be.

    The entry says for which n and δ it was found, where the account has others.
    """
    account_delta, account_adjacency, account_people = budget.account_counts()
    if adjacency is not account_adjacency:
        st.caption(texts.OTHER_UNIT.format(account_adjacency, adjacency))
        return
    if (delta, people) != (account_delta, account_people):
        found = replace(found, what=f"Found at n = {people}, δ = {typed(delta)}")
        st.caption(texts.OTHER_BUDGET.format(spaced(account_people), plain(account_delta)))
    st.button(
        "Add it to my account",
        icon=":material/playlist_add:",
        on_click=_add,
        args=(found,),
    )


def _add(found: AccountEntry) -> None:
    entries.add_dated(found)
    entries.write()
    set_controls({QUESTION.key: "account"})
