"""Step 5: the words of the certificate, the button, progress, and what came of it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from dpcore.controls.release import DEMONSTRATION, TEXTS
from dpcore.errors import InvalidInput
from dpcore.release import demonstration
from dpcore.release import release as releasing
from dpcore.release.certificate import About
from dpcore.release.model import untrained
from dpcore.release.plan import Plan
from dpcore.release.price import Price
from dpcore.release.release import Released
from dpcore.release.roles import AT_HAND, Role
from pages.release import controls, outcome, texts
from pages.release.account import Account, Order
from pages.release.attempt import Attempt, WatchedAttempt, Work
from pages.release.budget import Budget
from pages.release.records import Records
from pages.release.steps import Step, last
from pages.shared import job_panel, sign_in
from pages.shared.session import store, stored
from pages.shared.shared_jobs import present
from pages.shared.verbatim import refuse, verbatim
from pages.shared.widgets import Form

BEGUN = "release begun"


def draw(form: Form, records: Records | None, budget: Budget, before: Sequence[Step]) -> Step:
    """Draw the step.

    Parameters
    ----------
    form : Form
    records : Records or None
    budget : Budget
    before : sequence of Step
        The four others.
    """
    is_own = form.values["release_table"] != DEMONSTRATION
    running = under_way(budget.account)
    if running is not None:
        job_panel.watch([WatchedAttempt(running, stored(BEGUN))])
        return last(before, *outcome.brief(running))
    latest = None if budget.account is None else budget.account.attempts.latest
    if latest is not None and budget.account is not None:
        outcome.draw(latest, budget.account)
    said = _said(form, is_own=is_own)
    missing = [control.label for control in TEXTS if not said[_name(control.key)]]
    if not all(step.is_done for step in before):
        st.caption(texts.NOT_YET)
    elif records is not None and budget.account is not None and budget.price is not None:
        _button(records, budget, budget.account, budget.price, said, missing, is_own=is_own)
    step = last(before, *("", "") if latest is None else outcome.brief(latest))
    if missing and step.state == "to do":
        return Step("to do", texts.FILL_IN.format(missing=missing[0].lower()))
    return step


def under_way(account: Account | None) -> Attempt[Released] | None:
    """The release that this visitor began, or else another of the account, while it is under way.

    The visitor's comes first: its records take part in one at a time, whatever account is chosen.
    """
    latest = None if account is None else account.attempts.latest
    return next((each for each in (stored(BEGUN), latest) if each and each.is_under_way), None)


def _button(
    records: Records,
    budget: Budget,
    account: Account,
    price: Price[Plan],
    said: dict[str, str],
    missing: list[str],
    *,
    is_own: bool,
) -> None:
    """Draw what it costs, and the button that pays it."""
    st.markdown(verbatim(price.words()))
    # For another price, or after another attempt, it is another tick and another button: none is
    # pressed for what its reader did not see.
    count = account.attempts.count
    seen = f"{account.place} {account.data_set} {count} {price}"
    key = zlib.crc32(seen.encode())
    may = (not is_own or st.checkbox(texts.MAY, key=f"release_may_{key}")) and not missing
    pressed = st.button(
        "Release" if account.attempts.latest is None else "Release another",
        key=f"release_{key}",
        type="primary" if may else "secondary",
        icon=":material/lock_open_right:",
        disabled=not may,
    )
    st.caption(texts.PAYS)
    if not pressed:
        return
    person = sign_in.allowed(Role.ANALYST) if is_own else AT_HAND
    if isinstance(person, str):
        sign_in.refuse(person)
        return
    try:
        order = Order(price.plan, About(**said), budget.actor, account)
    except InvalidInput as refusal:
        refuse(refusal)
        return
    work = _work(records, order, partial(sign_in.still, person, Role.ANALYST))
    store(BEGUN, account.attempts.begin(count, work, present()) or stored(BEGUN))
    st.rerun()


def _said(form: Form, *, is_own: bool) -> dict[str, str]:
    """Draw the texts of the certificate; empty where nothing is said."""
    cells, said = st.columns(3), {}
    for place, control in enumerate(TEXTS):
        name = _name(control.key)
        first = "" if is_own else getattr(demonstration.ABOUT, name)
        with cells[place % 3]:
            said[name] = controls.text(control, first, "own" if is_own else "made_up")
    with cells[2]:
        said["sector"] = form.draw("release_sector")
    return said


def _name(key: str) -> str:
    """What the certificate calls the text of this control."""
    return key.removeprefix("release_")


def _work(records: Records, order: Order, may_still: Callable[[], bool]) -> Work[Released]:
    """What an attempt does, in a thread of its own."""

    def work(attempt: Attempt[Released]) -> None:
        # What may fail, such as a package that is missing, fails before anything is paid.
        plan = order.plan
        untrained(plan.columns, plan.features, plan.loss).to_onnx()
        records.prepare(order, attempt.report, lambda: not attempt.is_wanted)
        if not may_still():
            raise InvalidInput(texts.NO_LONGER)
        attempt.commit()
        records.pay(order)
        attempt.paid()
        released = records.train(attempt.report)
        attempt.released, attempt.files = released, released.files()
        try:
            attempt.released = releasing.seal(released, order.account.ledger)
        except InvalidInput as refusal:
            attempt.refusal = texts.UNSEALED.format(
                hash=released.certificate.hash, entry=released.receipt.entry, refusal=refusal
            )

    return work
