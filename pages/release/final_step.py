"""Draw step 5: the certificate's words, the button, progress, and what came of model or table."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpcore.controls.release import DEMONSTRATION, EPSILON, MODEL, NUMBERS, TEXTS, USE
from dpcore.errors import InvalidInput
from dpcore.release import demonstration
from dpcore.release import release as releasing
from dpcore.release.certificate import About
from dpcore.release.payment import Price
from dpcore.release.plan import ReleasePlan
from dpcore.release.release import Released
from dpcore.release.summary import PublishedSummary
from pages.release import payment, steps
from pages.release.account import Attempt, PayingAccount, ReleaseOrder, WatchedAttempt, Work
from pages.release.budget import ReleaseBudget
from pages.release.payment import Press
from pages.release.steps import ReleaseStep, last
from pages.release.table import ChosenTable
from pages.shared import badges, work
from pages.shared.display import show_command
from pages.shared.session import ACTING, stored
from pages.shared.verbatim import refuse
from pages.shared.widgets import ControlForm

NOT_YET = "The button comes once the steps before are done."
FILL_IN = "fill in: {missing}"
PAYS = (
    "The payment is final, and pays for one training. You can cancel before it; a training that is "
    "interrupted after it is lost."
)
ANOTHER = "Release another model"
BEGUN = "release begun"
TABLE_BEGUN = "release table begun"
PUBLISH, PUBLISH_ANOTHER = "Publish the table", "Publish another table"
TABLE_PAYS = "The payment is final, and pays for one table. It can be cancelled until it is paid."
TABLE_LABELS = {
    "table.csv": "Table (CSV)",
    "table.html": "For a paper (HTML)",
    "released.json": "Noisy sums (JSON)",
    "intervals.py": "Intervals (Python)",
    "summary.yaml": "Certificate (YAML)",
}


def draw(
    form: ControlForm,
    records: ChosenTable | None,
    budget: ReleaseBudget,
    before: Sequence[ReleaseStep],
) -> ReleaseStep:
    if form.values[MODEL.key] == NUMBERS:
        return _draw_table(form, records, budget, before)
    is_own = form.values["release_table"] != DEMONSTRATION
    running = under_way(budget.account)
    if running is not None:
        work.watch([WatchedAttempt(running, stored(BEGUN))])
        return last(before, *payment.in_brief(running))
    latest = None if budget.account is None else budget.account.attempts.latest
    if latest is not None and budget.account is not None:
        payment.draw_outcome(latest, budget.account)
    is_released = latest is not None and latest.released is not None
    # One cost at a time: that of the files is shown with them, another release is a click away.
    with st.expander(ANOTHER) if is_released else st.container():
        certificate_texts = _certificate_texts(form, is_own=is_own)
        missing = [control.label for control in TEXTS if not certificate_texts[_name(control.key)]]
        if not all(step.needs_nothing for step in before):
            st.caption(NOT_YET)
        elif records is not None and budget.account is not None and budget.price is not None:
            _button(
                records,
                budget,
                budget.account,
                budget.price,
                certificate_texts,
                missing,
                is_own=is_own,
            )
    step = last(before, *("", "") if latest is None else payment.in_brief(latest))
    if missing and step.state == "to do":
        return ReleaseStep("to do", FILL_IN.format(missing=missing[0].lower()))
    return step


def under_way(account: PayingAccount | None) -> Attempt[Released] | None:
    """The release that this visitor began, or else another of the account, while it is under way.

    The visitor's comes first: its records take part in one at a time, whatever account is chosen.
    """
    latest = None if account is None else account.attempts.latest
    return payment.under_way(latest, BEGUN)


def _button(
    records: ChosenTable,
    budget: ReleaseBudget,
    account: PayingAccount,
    price: Price[ReleasePlan],
    certificate_texts: dict[str, str],
    missing: list[str],
    *,
    is_own: bool,
) -> None:
    attempts = account.attempts
    press = payment.pressed(
        price,
        records,
        account,
        attempts,
        name="release",
        label="Release" if attempts.latest is None else "Release another",
        icon=":material/lock_open_right:",
        caption=PAYS,
        is_own=is_own,
        is_ready=not missing,
        type="primary",
    )
    if press is None:
        return
    try:
        order = ReleaseOrder(price.plan, About(**certificate_texts), budget.actor, account)
    except InvalidInput as refusal:
        refuse(refusal)
        return
    payment.begin(press, attempts, _work(records, order, press), BEGUN)


def _certificate_texts(form: ControlForm, *, is_own: bool) -> dict[str, str]:
    cells, certificate_texts = st.columns(3), {}
    for place, control in enumerate(TEXTS):
        name = _name(control.key)
        acting = (stored(ACTING) or "") if control is USE else ""
        first = acting if is_own else getattr(demonstration.ABOUT, name)
        with cells[place % 3]:
            certificate_texts[name] = steps.text(control, first, "own" if is_own else "made_up")
    with cells[2]:
        certificate_texts["sector"] = form.draw("release_sector")
    return certificate_texts


def _name(key: str) -> str:
    return key.removeprefix("release_")


def _work(records: ChosenTable, order: ReleaseOrder, press: Press) -> Work[Released]:
    return payment.in_order(
        press,
        prepare=lambda progress, cancelled: records.prepare(order, progress, cancelled),
        pay=lambda: records.pay(order),
        make=records.train,
        seal=lambda released: releasing.seal(released, order.account.ledger),
        hash_of=lambda released: released.certificate.hash,
    )


def table_under_way(account: PayingAccount | None) -> Attempt[PublishedSummary] | None:
    """The table that is being published, this visitor's or another of the account."""
    return payment.under_way(None if account is None else account.tables.latest, TABLE_BEGUN)


def _draw_table(
    form: ControlForm,
    records: ChosenTable | None,
    budget: ReleaseBudget,
    before: Sequence[ReleaseStep],
) -> ReleaseStep:
    account = budget.account
    running = table_under_way(account)
    if running is not None:
        work.watch([WatchedAttempt(running, stored(TABLE_BEGUN), "table")])
        return last(before, "the table is being made", "")
    latest = None if account is None else account.tables.latest
    if latest is not None and account is not None:
        _table_outcome(latest, account)
    if not all(step.needs_nothing for step in before):
        st.caption(NOT_YET)
    elif records is not None and account is not None and budget.price is not None:
        price = budget.price
        payment.draw_measurement(
            "table",
            lambda left: Price(price.plan, left),
            EPSILON,
            records,
            account,
            account.tables,
            budget.actor,
            label=PUBLISH if latest is None else PUBLISH_ANOTHER,
            icon=":material/lock_open_right:",
            caption=TABLE_PAYS,
            begun=TABLE_BEGUN,
            is_own=form.values["release_table"] != DEMONSTRATION,
        )
    is_released = latest is not None and latest.released is not None
    return last(before, "", "paid, files below" if is_released else "")


def _table_outcome(latest: Attempt[PublishedSummary], account: PayingAccount) -> None:
    if latest.released is None:
        payment.draw_without(latest, account)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        badges.status("proved", name="Table")
        st.markdown(f"{payment.proved(latest.released.card.document)}.")
    payment.draw_files(latest.files, TABLE_LABELS)
    show_command(payment.CHECK)
    if latest.refusal:
        refuse(latest.refusal)
