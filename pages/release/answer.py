"""The five steps on the page, each in a row that says how far it is."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.controls.release import CONTROLS, TEXTS
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.release import demonstration
from dpcore.release.certificate import About
from dpcore.release.plan import plan
from dpcore.release.price import Price
from pages.release import controls, outcome, texts
from pages.release.account import Account, Demonstration, MadeUp, Order, Records, work
from pages.release.steps import ICONS, Step, current, last
from pages.shared import doors, job_panel, query, view_link
from pages.shared.session import once, store, stored
from pages.shared.shared_jobs import present
from pages.shared.verbatim import refuse, verbatim
from pages.shared.widgets import Form

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pages.release.attempt import Attempt

STEPS = "release steps"


def draw() -> None:
    """Draw the steps, each open until it is done."""
    view_link.title("May it leave?")
    st.markdown(texts.DEMONSTRATION)
    form = Form(CONTROLS)
    demonstrated = once("release demonstration", Demonstration)
    # A row is headed before its controls are drawn: by what they were last.
    headed: tuple[Step, ...] = stored(STEPS) or _steps(CONTROLS.first(), demonstrated)
    opened = current(headed)
    places = [
        st.expander(
            step.label(number),
            expanded=number == opened,
            icon=ICONS[step.state],
            key=f"release_step_{number}",
        )
        for number, step in enumerate(headed, 1)
    ]
    table = MadeUp()
    with places[0]:
        st.code(table.columns, language=None)
    with places[1]:
        form.draw("release_unit")
        st.caption(texts.ONE_ROW)
    with places[2]:
        _look(form)
    account = demonstrated.account(Adjacency(form.values["release_unit"]))
    with places[3]:
        st.markdown(verbatim(account.ledger.left(account.data_set).words()))
        with st.container(horizontal=True):
            form.draw("release_epsilon", "release_delta", width=220)
            form.draw("release_loss", "release_features")
        price = _price(form.values, table, account)
        if isinstance(price, InvalidInput):
            refuse(price)
        else:
            st.markdown(verbatim(price.words()))
    with places[4]:
        _release(form, table, account, price)
    query.sign()
    steps = _steps(form.values, demonstrated)
    store(STEPS, steps)
    if steps != headed:
        st.rerun()


def _look(form: Form) -> None:
    look = form.draw("release_look")
    st.caption(texts.LOOKS[look])
    if look == "stand-in":
        script, link = doors.door_to("What does it cost?", data="Synthetic clinical cohort")
        st.page_link(
            script, label="Look at them", icon=":material/arrow_forward:", query_params=link
        )


def _steps(values: Mapping[str, Any], demonstrated: Demonstration) -> tuple[Step, ...]:
    """How far each step is."""
    adjacency = Adjacency(values["release_unit"])
    table, account = MadeUp(), demonstrated.account(adjacency)
    price = _price(values, table, account)
    budget = (
        Step("not possible yet", verbatim(str(price)))
        if isinstance(price, InvalidInput)
        else Step("done", verbatim(price.brief()))
    )
    before = (
        Step("done", f"{table.count:,} {table.title}"),
        Step("done", f"one row is one patient; {adjacency.difference}"),
        Step("done", texts.LOOKED[values["release_look"]]),
        budget,
    )
    latest = account.attempts.latest
    busy, released = ("", "") if latest is None else outcome.brief(latest)
    return (*before, last(before, busy, released))


def _price(values: Mapping[str, Any], table: Records, account: Account) -> Price | InvalidInput:
    """The price of the release, or why it can't be had."""
    left = account.ledger.left(account.data_set)
    try:
        price = Price(
            plan(
                table.columns,
                table.count,
                epsilon=values["release_epsilon"],
                delta=values["release_delta"],
                adjacency=left.account.terms.adjacency,
                loss=values["release_loss"],
                features=values["release_features"],
            ),
            left,
        )
    except InvalidInput as refusal:
        return refusal
    if price.refusal is not None:
        return InvalidInput(f"{price.refusal} Choose a smaller ε, or have the cap raised.")
    return price


def _release(form: Form, table: Records, account: Account, price: Price | InvalidInput) -> None:
    """Draw what the certificate says, the button, and what came of it."""
    latest = account.attempts.latest
    if latest is not None and latest.is_under_way:
        _watch(latest)
        return
    if latest is not None:
        outcome.draw(latest, account)
    about = _about(form)
    if isinstance(price, InvalidInput):
        refuse(price)
        return
    st.markdown(verbatim(price.words()))
    # Another price, or another attempt, is another button: no press is for what nobody saw.
    seen = f"{account.attempts.count} {account.data_set} {price.plan} {price.left}"
    pressed = st.button(
        "Release" if latest is None else "Release another",
        key=f"release_{zlib.crc32(seen.encode())}",
        type="primary",
        icon=":material/lock_open_right:",
        help=texts.PAYS,
    )
    if pressed:
        order = Order(price.plan, about, demonstration.ACTOR, account)
        account.attempts.begin(account.attempts.count, work(table, order), present())
        st.rerun()


def _about(form: Form) -> About:
    first = demonstration.ABOUT
    cells = st.columns(3)
    said = {}
    for place, control in enumerate(TEXTS):
        name = control.key.removeprefix("release_")
        with cells[place % 3]:
            said[name] = controls.text(control, getattr(first, name), "made_up")
    with cells[2]:
        said["sector"] = form.draw("release_sector")
    return About(**said)


def _watch(latest: Attempt) -> None:
    from pages.release.attempt import WatchedAttempt

    job_panel.watch([WatchedAttempt(latest)])
