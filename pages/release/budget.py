"""Draw step 4: the account, what is left in it, and what the release costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from dpcore.accounting.events import OUTPUTS, check_basis
from dpcore.controls.release import (
    ACTOR,
    CHOICE,
    CORRECTED,
    DEMONSTRATION,
    EPSILON,
    NETWORK,
    NUMBERS,
    model_of,
)
from dpcore.datasets.own.description import restated
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.questions.describe.question import DescribeQuestion
from dpcore.questions.survival.question import SurvivalQuestion
from dpcore.release import demonstration
from dpcore.release.ledger import Left
from dpcore.release.ledger.spends import LONGEST_TEXT
from dpcore.release.payment import Price
from dpcore.release.plan import plan
from dpcore.release.roles import Role
from dpcore.release.summary import summary_plan
from dpcore.words import listed
from pages.release import account, payment, steps
from pages.release.account import Demonstration, PayingAccount
from pages.release.steps import ReleaseStep, State
from pages.release.table import ChosenTable
from pages.server import ledgers, sign_in
from pages.shared import badges, frame, risk_box
from pages.shared.display import show_command
from pages.shared.page_links import LEDGER
from pages.shared.session import DESCRIBED, once, stored
from pages.shared.verbatim import refuse, verbatim
from pages.shared.widgets import ControlForm

NETWORK_PAYS = (
    "On three of four real tables logistic regression by lines or by curves did as well as a "
    "network. A network pays where the outcome depends on two columns together."
)
NO_LEDGER = (
    "This server has no ledger, so only the demonstration can be released. Whoever runs it makes "
    "one, and names it by the environment variable `DPCORE_LEDGER`:"
)
ELSEWHERE, CREATE_FIRST = "A ledger elsewhere", "create a ledger"
NEW_LEDGER = "Create a ledger here"
FOR_EVER = (
    "Name, protection ({difference}, as in step 2) and what was spent stay for ever; the cap can "
    "only be raised. It pays for models and twins of this page."
)
NO_LEDGER_YET = "this server has no ledger"
EMPTY_LEDGER = "The ledger holds no data set yet. Whoever answers for the data creates one:"
EMPTY_LEDGER_YET = "the ledger holds no data set"
LEDGER_UNREAD = "the ledger cannot be read"
CREATE = (
    'python -m dpcore ledger create --ledger {place} --data-set clinic --person-unit "one patient" '
    '--epsilon 3 --delta 1e-5 --owner "Dr. A" --accepts gaussian'
)
START = "DPCORE_LEDGER=ledger.db python -m streamlit run app.py"
CHOOSE_DATA_SET = "choose a data set of the ledger"
OTHER_ADJACENCY = (
    "The ledger keeps this data set for {agreed}: choose that in step 2, or another data set."
)
OTHER_ADJACENCY_YET = "step 2 and the data set differ"
TRIED = CHOICE[0]
TOO_FEW = "Too few records at this ε to correct the risks: they stay as trained."
CANNOT_BE_PAID = "choose what can be paid"
ASKED = "The table tells of {only}, {groups}."
DESCRIBE = "Choose its numbers on “What can I publish?”"
WHO = "say who releases"
NOT_ALLOWED_YET = "you may not spend here"


@dataclass(frozen=True)
class ReleaseBudget:
    """Hold what a release is paid from, and by whom."""

    account: PayingAccount | None = None
    actor: str = ""
    price: Price[Any] | None = None  # none while the release cannot be paid from it


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
        delta = form.values["release_delta"]
        risk_box.draw_gaussian(EPSILON, delta)
    with st.container(horizontal=True):
        form.draw("release_loss", "release_features")
        if form.values["release_loss"] != NUMBERS:
            with st.popover(TRIED.label, icon=":material/fork_right:"):
                form.draw(TRIED.key, f"{TRIED.key}_by")
    if form.values["release_loss"] == NUMBERS:
        _tell_asked(records)
    with first:  # where there is room, though it depends on the model
        if records is not None and chosen is not None and _are_left(form.values, records, left):
            st.caption(TOO_FEW)  # there is nothing to choose
        else:
            form.draw("release_risks")
    if form.values["release_loss"] == NETWORK:
        st.caption(NETWORK_PAYS)
    if chosen is None or reason:
        state: State = "to do" if reason == CREATE_FIRST else "not possible yet"
        return ReleaseBudget(chosen, actor), ReleaseStep(state, reason)
    if records is None:
        return ReleaseBudget(chosen, actor), ReleaseStep("not possible yet", steps.READ_FIRST)
    paid = _step_after_release(chosen, form.values)
    try:
        price = _price(form.values, records, left)
        if payment.refused(price, EPSILON, "release_less"):
            return ReleaseBudget(chosen, actor), paid or ReleaseStep("to do", CANNOT_BE_PAID)
    except InvalidInput as refusal:
        refuse(refusal)
        return ReleaseBudget(chosen, actor), ReleaseStep("to do", CANNOT_BE_PAID)
    if form.values["release_loss"] != NUMBERS and price.plan.tried:
        st.caption(price.plan.tried)
    badges.note_composition()
    if not actor:  # else the price stands above the button that pays it
        st.markdown(verbatim(price.words()))
        return ReleaseBudget(chosen, actor, price), ReleaseStep("to do", WHO)
    return ReleaseBudget(chosen, actor, price), paid or ReleaseStep("done", verbatim(price.brief()))


def _are_left(values: dict[str, Any], records: ChosenTable, left: Left) -> bool:
    """Whether the rule leaves risks as trained, even where they are asked to be corrected."""
    if values["release_loss"] == NUMBERS:
        return False
    try:
        path = _price(values | {"release_risks": CORRECTED}, records, left).plan.path
    except InvalidInput:  # said where the price is
        return False
    return path.scorer.loss == "logistic" and not path.count_sums


def _step_after_release(chosen: PayingAccount, values: dict[str, Any]) -> ReleaseStep | None:
    """What the latest model, or table, has cost."""
    if values["release_loss"] == NUMBERS:
        table = chosen.tables.latest
        card = None if table is None or table.released is None else table.released.card
    else:
        model = chosen.attempts.latest
        card = None if model is None or model.released is None else model.released.certificate
    return None if card is None else ReleaseStep("done", verbatim(payment.paid(card.document)))


def _own(adjacency: Adjacency) -> tuple[PayingAccount | None, str, str]:
    person = sign_in.allowed(Role.ANALYST)
    if isinstance(person, str):
        frame.refuse_visitor(person)
        return None, "", NOT_ALLOWED_YET
    frame.show_visitor(person)
    where = ledgers.place(person)
    if not where:
        if not person.email:
            _new_ledger(ledgers.own_place(), adjacency)
        with st.container() if person.email else st.popover(ELSEWHERE):
            st.info(NO_LEDGER, icon=":material/account_balance:")
            show_command(CREATE.format(place="ledger.db"), START)
        return None, "", NO_LEDGER_YET if person.email else CREATE_FIRST
    try:
        ledger = ledgers.opened(where)
        data_sets = ledger.data_sets()
    except InvalidInput as refusal:
        refuse(refusal)
        return None, "", LEDGER_UNREAD
    if not data_sets:
        if not person.email and where == ledgers.own_place():
            _new_ledger(where, adjacency)
            return None, "", CREATE_FIRST
        st.info(EMPTY_LEDGER, icon=":material/account_balance:")
        show_command(CREATE.format(place="…"))
        return None, "", EMPTY_LEDGER_YET
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
        actor = person.email or steps.text(ACTOR, "", "own", width=300)
    if name is None:
        return None, actor, CHOOSE_DATA_SET
    chosen, agreed = account.account(where, name), data_sets[name].account.terms
    if person.role.covers(Role.STEWARD):
        st.page_link("ledger/ledger.py", label=LEDGER, icon=":material/account_balance:")
    st.caption(
        f"One record is {verbatim(agreed.person_unit)}; {agreed.adjacency.difference} "
        f"({agreed.adjacency}); {verbatim(agreed.owner)} answers for it."
    )
    if agreed.adjacency != adjacency:
        refuse(OTHER_ADJACENCY.format(agreed=agreed.adjacency.difference))
        return chosen, actor, OTHER_ADJACENCY_YET
    return chosen, actor, ""


def _price(values: dict[str, Any], records: ChosenTable, left: Left) -> Price[Any]:
    if values["release_loss"] == NUMBERS:
        return Price(
            summary_plan(
                records.columns,
                records.count,
                epsilon=values["release_epsilon"],
                delta=values["release_delta"],
                adjacency=left.account.terms.adjacency,
                **_asked(records),
            ),
            left,
        )
    check_basis(values.get(f"{TRIED.key}_by") or OUTPUTS)
    release_plan = plan(
        records.columns,
        records.count,
        epsilon=values["release_epsilon"],
        delta=values["release_delta"],
        adjacency=left.account.terms.adjacency,
        **model_of(values["release_loss"]),
        features=values["release_features"],
        corrected=None if values.get("release_risks") == CORRECTED else False,
        chosen_of=values.get(TRIED.key) or 1,
    )
    return Price(release_plan, left)


def _asked(records: ChosenTable) -> dict[str, Any]:
    """What the table tells: as asked on Describe of the same columns, else everything."""
    question: DescribeQuestion | SurvivalQuestion | None = stored(DESCRIBED)
    if question is None or restated(question.study.columns, None) != restated(
        records.columns, None
    ):
        return {}
    return {each.name: getattr(question, each.name) for each in question.asked()}


def _tell_asked(records: ChosenTable | None) -> None:
    asked = {} if records is None else _asked(records)
    only, by = listed(asked["only"]) if asked.get("only") else "all columns", asked.get("by")
    if "time" in asked:
        only = f"survival by {asked['time']}"
    st.caption(verbatim(ASKED.format(only=only, groups=f"by {by}" if by else "without groups")))
    st.page_link("describe/describe.py", label=DESCRIBE, icon=":material/table:")


def _new_ledger(place: str, adjacency: Adjacency) -> None:
    with st.form("new_ledger"):
        st.markdown(f"**{NEW_LEDGER}**: {verbatim(place)}")
        cells = st.columns(3)
        name = cells[0].text_input("Name of the data set", max_chars=LONGEST_TEXT)
        unit = cells[1].text_input("One record is", "one patient", max_chars=LONGEST_TEXT)
        owner = cells[2].text_input("Who answers for it", max_chars=LONGEST_TEXT)
        epsilon = cells[0].number_input("ε for all that is ever released", 0.01, 100.0, 3.0, 0.5)
        delta = cells[1].number_input("δ for it", 1e-12, 0.1, 1e-5, format="%.3g")
        st.caption(FOR_EVER.format(difference=adjacency.difference))
        is_submitted = st.form_submit_button(NEW_LEDGER, icon=":material/add:")
    if not is_submitted:
        return
    try:
        ledgers.begin(
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
