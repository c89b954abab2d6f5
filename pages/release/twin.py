"""Offer a private twin of the table in step 3: its price, the button, and what came of it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dpcore.controls.release import DEMONSTRATION, TWIN_EPSILON
from dpcore.errors import InvalidInput
from dpcore.release.certificate import Record
from dpcore.release.ledger import Left
from dpcore.release.payment import Price
from dpcore.release.twin import twin
from dpcore.release.twin.twin import Twin, TwinPlan, twin_plan
from dpcore.words import at_most, plain
from pages.release import made_up, outcome, payment, texts
from pages.release.account import Attempt, PayingAccount, TwinOrder, WatchedAttempt, Work
from pages.release.payment import Press
from pages.release.records import ChosenTable
from pages.release.steps import ReleaseStep
from pages.shared import badges, work
from pages.shared.session import stored
from pages.shared.verbatim import refuse
from pages.shared.widgets import ControlForm

BEGUN = "release twin begun"
LABELS = {
    "twin.csv": "Twin (CSV)",
    "columns.txt": "Its columns",
    "twin.yaml": "Its card (YAML)",
}


def draw(
    form: ControlForm, records: ChosenTable | None, account: PayingAccount, actor: str
) -> ReleaseStep:
    """Draw the twin of an account."""
    running, latest = under_way(account), account.twins.latest
    if running is not None:
        work.watch([WatchedAttempt(running, stored(BEGUN), "twin")])
        return ReleaseStep("to do", texts.TWIN_UNDER_WAY)
    released_twin = None if latest is None else latest.released
    if latest is not None and released_twin is not None:
        _draw_released(released_twin, latest)
    elif latest is not None:
        outcome.without(latest, account)
    if records is not None:
        _button(form.values, records, account, actor)
    if released_twin is None:
        return ReleaseStep("to do", texts.TWIN_YET)
    return ReleaseStep("done", texts.TWIN_PAID.format(entry=_entry(released_twin)), stays_open=True)


def under_way(account: PayingAccount | None) -> Attempt[Twin] | None:
    """The twin that this visitor began, or else another of the account, while it is under way."""
    latest = None if account is None else account.twins.latest
    return next((each for each in (stored(BEGUN), latest) if each and each.is_under_way), None)


def _button(
    values: dict[str, Any], records: ChosenTable, account: PayingAccount, actor: str
) -> None:
    left = account.ledger.left(account.data_set)
    if Record.of(records.columns).rows is not None:
        st.caption(texts.TWIN_ONE_ROW)
    try:
        price = _price(values, records, left)
        if payment.refused(price, TWIN_EPSILON, "release_twin_less"):
            return
    except InvalidInput as refusal:
        refuse(refusal)
        return
    twins = account.twins
    press = payment.pressed(
        price,
        records,
        account,
        twins,
        name="release_twin",
        label=texts.MAKE_TWIN if twins.latest is None else texts.MAKE_ANOTHER_TWIN,
        icon=":material/group:",
        caption=texts.TWIN_PAYS,
        is_own=values["release_table"] != DEMONSTRATION,
    )
    if press is not None:
        order = TwinOrder(price.plan, actor, account)
        payment.begin(press, twins, _work(records, order, press), BEGUN)


def _price(values: dict[str, Any], records: ChosenTable, left: Left) -> Price[TwinPlan]:
    plan = twin_plan(
        records.columns,
        records.count,
        epsilon=values[TWIN_EPSILON.key],
        delta=values["release_delta"],
        adjacency=left.account.terms.adjacency,
    )
    return Price(plan, left)


def _work(records: ChosenTable, order: TwinOrder, press: Press) -> Work[Twin]:
    return payment.in_order(
        press,
        prepare=lambda progress, cancelled: records.prepare_twin(order, progress, cancelled),
        pay=lambda: records.pay_twin(order),
        make=records.measure,
        seal=lambda released_twin: twin.seal(released_twin, order.account.ledger),
        hash_of=lambda released_twin: released_twin.card.hash,
    )


def _entry(released_twin: Twin) -> int:
    entry: int = released_twin.card.document["facts"]["ledger"]["entry"]
    return entry


def _draw_released(released_twin: Twin, attempt: Attempt[Twin]) -> None:
    proof = released_twin.card.document["proof"]
    with st.container(horizontal=True, vertical_alignment="center"):
        badges.status("proved", name="Twin")
        st.markdown(
            f"ε ≤ {at_most(proof['epsilon'])} at δ = {plain(proof['delta'])}, "
            f"{proof['adjacency']}, by {proof['accountant']}."
        )
    outcome.downloads(attempt.files, LABELS)
    has_pairs = released_twin.card.document["facts"]["mechanism"]["weight"] > 0
    st.caption(texts.TWIN_HOLDS if has_pairs else texts.TWIN_HOLDS_NO_PAIRS)
    made_up.ways(
        "twin",
        texts.EXPLORE_TWIN,
        texts.OF_A_TWIN,
        lambda: (released_twin.csv, released_twin.columns),
        is_as_many=True,
    )
    if attempt.refusal:
        refuse(attempt.refusal)
