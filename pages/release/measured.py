"""Draw the button that pays for one measurement of the table, and order its steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from dpcore.controls.control import Control
from dpcore.errors import InvalidInput
from dpcore.release.certificate import Record
from dpcore.release.confined_release import MEASUREMENTS, Kind
from dpcore.release.ledger import Left
from dpcore.release.payment import Price
from pages.release import payment
from pages.release.account import Attempt, Attempts, MeasurementOrder, PayingAccount, Work
from pages.release.payment import Press, Product
from pages.release.table import ChosenTable
from pages.shared.session import stored
from pages.shared.verbatim import refuse

ONE_ROW = "One row of each person counts, chosen by lots: the noise is that of one row."


def under_way(latest: Attempt[Product] | None, begun: str) -> Attempt[Product] | None:
    """What this visitor began under a name, or else the latest, while it is under way."""
    return next((each for each in (stored(begun), latest) if each and each.is_under_way), None)


def draw_button(
    kind: Kind,
    price_of: Callable[[Left], Price[Any]],
    control: Control,
    records: ChosenTable,
    account: PayingAccount,
    attempts: Attempts[Any],
    actor: str,
    *,
    label: str,
    icon: str,
    caption: str,
    begun: str,
    is_own: bool,
) -> None:
    """Draw the price and the button; a press begins the attempt, stored as `begun`."""
    if Record.of(records.columns).rows is not None:
        st.caption(ONE_ROW)
    try:
        price = price_of(account.ledger.left(account.data_set))
        if payment.refused(price, control, f"release_{kind}_less"):
            return
    except InvalidInput as refusal:
        refuse(refusal)
        return
    press = payment.pressed(
        price,
        records,
        account,
        attempts,
        name=f"release_{kind}",
        label=label,
        icon=icon,
        caption=caption,
        is_own=is_own,
    )
    if press is not None:
        order = MeasurementOrder(kind, price.plan, actor, account)
        payment.begin(press, attempts, work(records, order, press), begun)


def work(records: ChosenTable, order: MeasurementOrder, press: Press) -> Work[Any]:
    """What an attempt does: prepare, pay, measure, seal."""
    return payment.in_order(
        press,
        prepare=lambda progress, cancelled: records.prepare_measurement(order, progress, cancelled),
        pay=lambda: records.pay_measurement(order),
        make=lambda progress: records.measure(order.kind, progress),
        seal=lambda made: MEASUREMENTS[order.kind].seal(made, order.account.ledger),
        hash_of=lambda made: made.card.hash,
    )
