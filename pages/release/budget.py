"""Draw step 4: the account, what is left in it, and what the release costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from dpcore.controls.release import (
    ACTOR,
    CORRECTED,
    DEMONSTRATION,
    EPSILON,
    NETWORK,
    model_of,
)
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.release import demonstration
from dpcore.release.ledger import Left
from dpcore.release.ledger.spends import LONGEST_TEXT
from dpcore.release.payment import Price
from dpcore.release.plan import ReleasePlan, plan
from dpcore.release.roles import Role
from pages.release import account, controls, outcome, payment, texts
from pages.release.account import Demonstration, PayingAccount
from pages.release.records import ChosenTable
from pages.release.steps import ReleaseStep, State
from pages.shared import composition_note, server_ledger, sign_in
from pages.shared.code import show_command
from pages.shared.session import once
from pages.shared.texts import LEDGER
from pages.shared.verbatim import refuse, verbatim
from pages.shared.widgets import ControlForm


@dataclass(frozen=True)
class ReleaseBudget:
    """Hold what a release is paid from, and by whom."""

    account: PayingAccount | None = None
    actor: str = ""
    price: Price[ReleasePlan] | None = None  # none while the release cannot be paid from it


def draw(form: ControlForm, records: ChosenTable | None) -> tuple[ReleaseBudget, ReleaseStep]:
    """Draw the step."""
    adjacency = Adjacency(form.values["release_unit"])
    chosen: PayingAccount | None
    if form.values["release_table"] == DEMONSTRATION:
        demonstrated = once("release demonstration", Demonstration)
        chosen, actor, reason = demonstrated.account(adjacency), demonstration.ACTOR, ""
    else:
        chosen, actor, reason = _own(adjacency)
    if chosen is not None:
        left = chosen.ledger.left(chosen.data_set)
        st.markdown(verbatim(left.words()), help=left.basis)
    first = st.container(horizontal=True)
    with first:
        form.draw("release_epsilon", "release_delta", width=220)
    with st.container(horizontal=True):
        form.draw("release_loss", "release_features")
    with first:  # where there is room, though it depends on the model
        if records is not None and chosen is not None and _are_left(form.values, records, left):
            st.caption(texts.TOO_FEW)  # there is nothing to choose
        else:
            form.draw("release_risks")
    if form.values["release_loss"] == NETWORK:
        st.caption(texts.NETWORK)
    if chosen is None or reason:
        state: State = "to do" if reason == texts.CREATE_FIRST else "not possible yet"
        return ReleaseBudget(chosen, actor), ReleaseStep(state, reason)
    if records is None:
        return ReleaseBudget(chosen, actor), ReleaseStep("not possible yet", texts.READ_FIRST)
    try:
        price = _price(form.values, records, left)
        if payment.refused(price, EPSILON, "release_less"):
            return ReleaseBudget(chosen, actor), _step_after_release(chosen) or ReleaseStep(
                "to do", texts.CANNOT_BE_PAID
            )
    except InvalidInput as refusal:
        refuse(refusal)
        return ReleaseBudget(chosen, actor), ReleaseStep("to do", texts.CANNOT_BE_PAID)
    composition_note.draw()
    if not actor:  # else the price stands above the button that pays it
        st.markdown(verbatim(price.words()))
        return ReleaseBudget(chosen, actor, price), ReleaseStep("to do", texts.WHO)
    return ReleaseBudget(chosen, actor, price), _step_after_release(chosen) or ReleaseStep(
        "done", verbatim(price.brief())
    )


def _are_left(values: dict[str, Any], records: ChosenTable, left: Left) -> bool:
    """Whether the rule leaves risks as trained, even where they are asked to be corrected."""
    try:
        path = _price(values | {"release_risks": CORRECTED}, records, left).plan.path
    except InvalidInput:  # said where the price is
        return False
    return path.scorer.loss == "logistic" and not path.count_sums


def _step_after_release(chosen: PayingAccount) -> ReleaseStep | None:
    latest = chosen.attempts.latest
    if latest is None or latest.released is None:
        return None
    return ReleaseStep("done", verbatim(outcome.paid(latest.released)))


def _own(adjacency: Adjacency) -> tuple[PayingAccount | None, str, str]:
    person = sign_in.allowed(Role.ANALYST)
    if isinstance(person, str):
        sign_in.refuse(person)
        return None, "", texts.NOT_ALLOWED_YET
    sign_in.who(person)
    where = server_ledger.place(person)
    if not where:
        if not person.email:
            _new_ledger(server_ledger.own_place(), adjacency)
        with st.container() if person.email else st.popover(texts.ELSEWHERE):
            st.info(texts.NO_LEDGER, icon=":material/account_balance:")
            show_command(texts.CREATE.format(place="ledger.db"), texts.START)
        return None, "", texts.NO_LEDGER_YET if person.email else texts.CREATE_FIRST
    try:
        ledger = server_ledger.opened(where)
        data_sets = ledger.data_sets()
    except InvalidInput as refusal:
        refuse(refusal)
        return None, "", texts.LEDGER_UNREAD
    if not data_sets:
        if not person.email and where == server_ledger.own_place():
            _new_ledger(where, adjacency)
            return None, "", texts.CREATE_FIRST
        st.info(texts.EMPTY_LEDGER, icon=":material/account_balance:")
        show_command(texts.CREATE.format(place="…"))
        return None, "", texts.EMPTY_LEDGER_YET
    with st.container(horizontal=True):
        name = st.selectbox(
            "Data set in the ledger",
            list(data_sets),
            0 if len(data_sets) == 1 else None,
            key="release_data_set",
            placeholder="Choose a data set",
            persist_state="session",
            width=300,
        )
        actor = person.email or controls.text(ACTOR, "", "own", width=300)
    if name is None:
        return None, actor, texts.CHOOSE_DATA_SET
    chosen, agreed = account.account(where, name), data_sets[name].account.terms
    if person.role.covers(Role.STEWARD):
        st.page_link("ledger/ledger.py", label=LEDGER, icon=":material/account_balance:")
    st.caption(
        f"One record is {verbatim(agreed.person_unit)}; {agreed.adjacency.difference} "
        f"({agreed.adjacency}); {verbatim(agreed.owner)} answers for it."
    )
    if agreed.adjacency != adjacency:
        refuse(texts.OTHER_ADJACENCY.format(agreed=agreed.adjacency.difference))
        return chosen, actor, texts.OTHER_ADJACENCY_YET
    return chosen, actor, ""


def _price(values: dict[str, Any], records: ChosenTable, left: Left) -> Price[ReleasePlan]:
    release_plan = plan(
        records.columns,
        records.count,
        epsilon=values["release_epsilon"],
        delta=values["release_delta"],
        adjacency=left.account.terms.adjacency,
        **model_of(values["release_loss"]),
        features=values["release_features"],
        corrected=None if values.get("release_risks") == CORRECTED else False,
    )
    return Price(release_plan, left)


def _new_ledger(place: str, adjacency: Adjacency) -> None:
    with st.form("new_ledger"):
        st.markdown(f"**{texts.NEW_LEDGER}**: {verbatim(place)}")
        cells = st.columns(3)
        name = cells[0].text_input("Name of the data set", max_chars=LONGEST_TEXT)
        unit = cells[1].text_input("One record is", "one patient", max_chars=LONGEST_TEXT)
        owner = cells[2].text_input("Who answers for it", max_chars=LONGEST_TEXT)
        epsilon = cells[0].number_input("ε for all that is ever released", 0.01, 100.0, 3.0, 0.5)
        delta = cells[1].number_input("δ for it", 1e-12, 0.1, 1e-5, format="%.3g")
        st.caption(texts.FOR_EVER.format(difference=adjacency.difference))
        is_submitted = st.form_submit_button(texts.NEW_LEDGER, icon=":material/add:")
    if not is_submitted:
        return
    try:
        server_ledger.begin(
            place,
            name,
            person_unit=unit,
            adjacency=adjacency,
            epsilon=epsilon,
            delta=delta,
            owner=owner,
        )
    except InvalidInput as refusal:
        refuse(refusal)
    else:
        st.rerun()  # with the account that it made
