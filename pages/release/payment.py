"""Draw the button that pays for a model or a twin, and order the steps of its attempt."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

import streamlit as st

from dpcore.controls.control import Control
from dpcore.errors import InvalidInput
from dpcore.figures import clipping_words
from dpcore.guarantee import large_delta
from dpcore.progress import Progress
from dpcore.release.ledger import Receipt
from dpcore.release.payment import Price
from dpcore.release.roles import AT_HAND, Actor, Role
from dpcore.words import plain
from pages.release import texts
from pages.release.account import Attempt, Attempts, PayingAccount, Work
from pages.release.records import ChosenTable
from pages.shared import sign_in, signed_out
from pages.shared.session import set_controls, store, stored
from pages.shared.verbatim import refuse, verbatim
from pages.shared.work import present


class Leaving(Protocol):
    @property
    def receipt(self) -> Receipt:
        """Of the payment."""

    def files(self) -> dict[str, bytes]:
        """Everything that leaves, by file name."""


Product = TypeVar("Product", bound=Leaving)


@dataclass(frozen=True)
class Press:
    """A press of the button by somebody who may spend: their sign-in and the attempts they saw."""

    count_when_drawn: int
    person: Actor
    claims: Mapping[str, object] = field(default_factory=dict)

    def may_still(self) -> bool:
        return sign_in.still(self.person, Role.ANALYST, self.claims)


def refused(price: Price[Any], control: Control, key: str) -> bool:
    """Say why a price cannot be paid, with a button for the largest ε that can be."""
    if price.refusal is None:
        return False
    refuse(f"{price.refusal} {texts.LESS}")
    less = price.less()
    if less is not None:
        st.button(
            f"Use ε = {plain(less)}",
            key=key,
            icon=":material/build:",
            help=f"{price.basis}.",
            on_click=set_controls,
            args=({control.key: less},),
        )
    return True


def pressed(
    price: Price[Any],
    records: ChosenTable,
    account: PayingAccount,
    attempts: Attempts[Any],
    *,
    name: str,
    label: str,
    icon: str,
    caption: str,
    is_own: bool,
    is_ready: bool = True,
    type: Literal["primary", "secondary"] = "secondary",
) -> Press | None:
    """Draw the price, what must be known before it is paid, ticks and the button.

    Records that are not the demonstration's (`is_own`) take the tick and the role. Returns ``None``
    where it was not pressed, or not by somebody who may.
    """
    st.markdown(verbatim(price.words()))
    # For another price, or after another attempt, it is another tick and another button: none is
    # pressed for what its reader did not see.
    count_when_drawn = attempts.count
    seen = f"{account.place} {account.data_set} {count_when_drawn} {price} {records.clipping}"
    key = zlib.crc32(seen.encode())
    may = _goes_on(price, records, f"{name}_clipped_{key}")
    may &= (not is_own or st.checkbox(texts.MAY, key=f"{name}_may_{key}")) and is_ready
    is_pressed = st.button(
        label,
        key=f"{name}_{key}",
        type=type if may else "secondary",
        icon=icon,
        disabled=not may,
    )
    st.caption(caption)
    if not is_pressed:
        return None
    person = sign_in.allowed(Role.ANALYST) if is_own else AT_HAND
    if isinstance(person, str):
        sign_in.refuse(person)
        return None
    return Press(count_when_drawn, person, signed_out.visitor())


def _goes_on(price: Price[Any], records: ChosenTable, key: str) -> bool:
    """Tell of a large δ and of what was clipped; whether the owner of the records goes on."""
    if large := large_delta(price.plan.budget.delta, records.count):
        st.warning(large, icon=":material/warning:")
    warnings = clipping_words.warnings(records.clipping)
    for each in warnings:
        st.warning(verbatim(each), icon=":material/content_cut:")
    if counts := clipping_words.counts(records.clipping):
        st.caption(verbatim(counts))
    return not warnings or st.checkbox(texts.CLIPPED, key=key)


def begin(press: Press, attempts: Attempts[Product], work: Work[Product], begun: str) -> None:
    """Begin the attempt, store it under this name, and draw anew."""
    store(begun, attempts.begin(press.count_when_drawn, work, present()) or stored(begun))
    st.rerun()


def in_order(
    press: Press,
    *,
    prepare: Callable[[Progress, Callable[[], bool]], None],
    pay: Callable[[], None],
    make: Callable[[Progress], Product],
    seal: Callable[[Product], Product],
    hash_of: Callable[[Product], str],
) -> Work[Product]:
    """Return what an attempt does in a thread of its own: prepare, pay, make, seal.

    Whatever can be refused is refused by `prepare`; the hash by `hash_of` is attached to the
    payment.
    """

    def work(attempt: Attempt[Product]) -> None:
        prepare(attempt.report, lambda: not attempt.is_wanted)
        if not press.may_still():
            raise InvalidInput(texts.NO_LONGER)
        attempt.commit()
        pay()
        attempt.paid()
        product = make(attempt.report)
        attempt.released, attempt.files = product, product.files()
        try:
            attempt.released = seal(product)
        except InvalidInput as refusal:
            attempt.refusal = texts.UNSEALED.format(
                hash=hash_of(product), entry=product.receipt.entry, refusal=refusal
            )

    return work
