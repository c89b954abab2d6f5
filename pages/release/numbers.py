"""Draw step 5 of a table of numbers: what is told, the button, progress, and its files."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpcore.controls.release import DEMONSTRATION, EPSILON
from dpcore.release.payment import Price
from dpcore.release.summary import PublishedSummary
from pages.release import payment
from pages.release.account import Attempt, PayingAccount, WatchedAttempt
from pages.release.budget import ReleaseBudget
from pages.release.steps import ReleaseStep, last
from pages.release.table import ChosenTable
from pages.shared import badges, work
from pages.shared.display import show_command
from pages.shared.session import stored
from pages.shared.verbatim import refuse
from pages.shared.widgets import ControlForm

BEGUN = "release table begun"
PUBLISH, PUBLISH_ANOTHER = "Publish the table", "Publish another table"
PAYS = "The payment is final, and pays for one table. It can be cancelled until it is paid."
NOT_YET = "The button comes once the steps before are done."
LABELS = {
    "table.csv": "Table (CSV)",
    "table.html": "For a paper (HTML)",
    "released.json": "Noisy sums (JSON)",
    "intervals.py": "Intervals (Python)",
    "summary.yaml": "Certificate (YAML)",
}


def under_way(account: PayingAccount | None) -> Attempt[PublishedSummary] | None:
    """The table that is being published, this visitor's or another of the account."""
    return payment.under_way(None if account is None else account.tables.latest, BEGUN)


def draw(
    form: ControlForm,
    records: ChosenTable | None,
    budget: ReleaseBudget,
    before: Sequence[ReleaseStep],
) -> ReleaseStep:
    account = budget.account
    running = under_way(account)
    if running is not None:
        work.watch([WatchedAttempt(running, stored(BEGUN), "table")])
        return last(before, "the table is being made", "")
    latest = None if account is None else account.tables.latest
    if latest is not None and account is not None:
        _outcome(latest, account)
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
            caption=PAYS,
            begun=BEGUN,
            is_own=form.values["release_table"] != DEMONSTRATION,
        )
    is_released = latest is not None and latest.released is not None
    return last(before, "", "paid, files below" if is_released else "")


def _outcome(latest: Attempt[PublishedSummary], account: PayingAccount) -> None:
    if latest.released is None:
        payment.draw_without(latest, account)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        badges.status("proved", name="Table")
        st.markdown(f"{payment.proved(latest.released.card.document)}.")
    payment.draw_files(latest.files, LABELS)
    show_command(payment.CHECK)
    if latest.refusal:
        refuse(latest.refusal)
