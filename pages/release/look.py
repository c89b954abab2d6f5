"""Draw step 3: how one may look before, what the noise costs on made-up records, and a twin.

Made-up records, and a private twin of the table, go to the other pages without a file to choose.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from dpcore.controls import train
from dpcore.controls.plan import PEOPLE
from dpcore.controls.release import DEMONSTRATION, MODEL, NUMBERS, STAND_IN, TWIN, TWIN_EPSILON
from dpcore.datasets.images.sets import features_npz
from dpcore.datasets.own.description import restated
from dpcore.progress import Progress
from dpcore.release.ledger import Left
from dpcore.release.made_up import Rehearsed, rehearse, stand_in
from dpcore.release.payment import Price
from dpcore.release.plan import ReleasePlan
from dpcore.release.table import harmless_columns, network_file
from dpcore.release.twin.twin import Twin, TwinPlan, twin_plan
from dpcore.words import percent, points
from pages.release import payment, steps
from pages.release.account import Attempt, PayingAccount, WatchedAttempt
from pages.release.budget import ReleaseBudget
from pages.release.steps import ReleaseStep
from pages.release.table import ChosenTable
from pages.shared import badges, own_table, page_links, uploads, work
from pages.shared.display import draw_file
from pages.shared.session import control_value, store, stored
from pages.shared.verbatim import refuse
from pages.shared.widgets import ControlForm

LOOKS = {
    "stand-in": "They are drawn from the description alone: looking at them costs nothing.",
    "twin": "Made-up records drawn from noisy counts of yours: paid once, then free to explore.",
    "nothing": "Settings follow from public values alone.",
    "public": "Looking at public records costs nothing; ε then promises little, too.",
}
LOOKED = {
    "stand-in": "at made-up records",
    "twin": "at a private twin",
    "nothing": "not at all",
    "public": "the records are public",
}
REHEARSE, REHEARSING = "Rehearse this release", "Rehearsing on made-up records"
TRAIN_ON, PLAN_FOR = "Train a network on them", "Plan for as many people"
EXPLORE = "Explore made-up records"
STAND_IN_FILE = "Made-up records (CSV)"
REHEARSED = (
    "Made-up records are not yours: the cost on them is only a hint at the cost on yours. How well "
    "your columns predict cannot be told by them."
)
MAKE_TWIN, MAKE_ANOTHER_TWIN = "Make the twin", "Make another twin"
TWIN_FIRST = "Steps 1, 2 and 4 come first: what it is made of, and what it is paid from."
TWIN_YET = "make the twin, or look in another way"
TWIN_PAYS = "The payment is final, and pays for one twin. It can be cancelled until it is paid."
TWIN_UNDER_WAY = "the twin is being made"
TWIN_PAID = "at a private twin, paid by entry {entry} of the ledger"
TWIN_HOLDS = "Kept, with noise: each column by the outcome, and how columns go together in pairs."
TWIN_HOLDS_NO_PAIRS = (
    "Kept, with noise: each column by the outcome. How columns go together is not, for so few "
    "records: models look better on it than on them."
)
EXPLORE_TWIN = "Explore the twin"
OF_A_STAND_IN = (
    "Made up from the description alone. It shows what noise costs; its results say nothing of "
    "your records."
)
OF_A_TWIN = (
    "Drawn from a private twin. Results are about what your records would give, within a point or "
    "two where they are many."
)
REHEARSED_PLAN, LOOKED_AT = "release rehearsal", "release looked at"
STAND_IN_RECORDS = 1_000
Make = Callable[[], tuple[str, str]]
"""Gives the CSV and the description of its columns."""
TWIN_BEGUN = "release twin begun"
TWIN_LABELS = {
    "twin.csv": "Twin (CSV)",
    "columns.txt": "Its columns",
    "twin.yaml": "Its card (YAML)",
}


def draw(form: ControlForm) -> None:
    look = form.draw("release_look")
    st.caption(LOOKS[look])
    if look == TWIN:
        form.draw(TWIN_EPSILON.key, width=220)


def show(
    form: ControlForm,
    records: ChosenTable | None,
    paid_from: ReleaseBudget,
    second: ReleaseStep,
    fourth: ReleaseStep,
) -> ReleaseStep:
    """Draw the chosen way, once it is known what is released, and paid from what."""
    look = form.values["release_look"]
    if look == STAND_IN:
        _stand_in(records, None if form.values[MODEL.key] == NUMBERS else paid_from.price)
        if records is None:
            return ReleaseStep("not possible yet", steps.READ_FIRST)
        if stored(LOOKED_AT) != records.columns:
            return ReleaseStep("optional", steps.LOOK_YET)
    if look != TWIN:
        return ReleaseStep("done", LOOKED[look])
    is_ready = second.needs_nothing and fourth.state != "not possible yet" and bool(paid_from.actor)
    if not is_ready:
        st.caption(TWIN_FIRST)
    if paid_from.account is None:
        return ReleaseStep("to do", TWIN_YET)
    return _draw_twin(form, records if is_ready else None, paid_from.account, paid_from.actor)


def _stand_in(records: ChosenTable | None, price: Price[ReleasePlan] | None) -> None:
    plan_key = "" if price is None else str(price.plan)
    with st.container(horizontal=True, vertical_alignment="center"):
        if price is not None and stored(REHEARSED_PLAN) != plan_key:
            st.button(
                REHEARSE,
                key="release_rehearse",
                icon=":material/science:",
                on_click=store,
                args=(REHEARSED_PLAN, plan_key),
            )
        if records is not None:
            draw_file(
                STAND_IN_FILE,
                partial(stand_in, records.columns, STAND_IN_RECORDS),
                "standin.csv",
                on_click=store,
                args=(LOOKED_AT, records.columns),
                key="release_stand_in",
            )
    if records is not None:
        _draw_ways(
            "standin",
            EXPLORE,
            OF_A_STAND_IN,
            partial(_made_up_table, records.columns),
            is_as_many=False,
            before=partial(store, LOOKED_AT, records.columns),
        )
    if price is not None and stored(REHEARSED_PLAN) == plan_key:
        _rehearsal(price.plan, plan_key)


def _made_up_table(columns: str) -> tuple[str, str]:
    return stand_in(columns, STAND_IN_RECORDS), harmless_columns(columns)


def _rehearsal(plan: ReleasePlan, plan_key: str) -> None:
    rehearsal, waiting = work.answer_to(
        "rehearsal", REHEARSING, plan_key, partial(_rehearsed, plan), quick=True
    )
    work.watch(work.watched(waiting, "rehearsal"))
    if rehearsal is not None:
        store(LOOKED_AT, plan.columns)
        st.markdown(_rehearsal_sentence(rehearsal))
        st.caption(REHEARSED)


def _rehearsed(plan: ReleasePlan, progress: Progress) -> Rehearsed:
    return rehearse(plan, progress=progress)


def _rehearsal_sentence(rehearsal: Rehearsed) -> str:
    losses = sorted(rehearsal.losses)
    least, most = (points(loss).removeprefix("+") for loss in (losses[0], losses[-1]))
    return (
        f"Of made-up records {percent(rehearsal.without)} are told right without noise, "
        f"{percent(rehearsal.mean)} with it. These are averages over {len(losses)} made-up tables, "
        f"on which the noise costs {least} to {most} points."
    )


def _draw_ways(
    name: str,
    explore: str,
    note: str,
    make: Make,
    *,
    is_as_many: bool,
    before: Callable[[], None] = lambda: None,
) -> None:
    """Draw the buttons that open other pages on made-up records.

    Where there are as many as in the table (`is_as_many`), Plan may begin with their number;
    `before` is called before a page is opened.
    """
    with st.container(horizontal=True):
        if st.button(explore, key=f"explore {name}", icon=":material/explore:"):
            before()
            _explore(name, note, *make())
        if st.button(TRAIN_ON, key=f"train {name}", icon=":material/model_training:"):
            before()
            _train(name, note, *make())
        if is_as_many and st.button(PLAN_FOR, key=f"plan {name}", icon=":material/event_note:"):
            _plan(make()[0])


def _explore(name: str, note: str, records: str, columns: str) -> None:
    uploads.hand_over(f"{name}.csv", records.encode(), note)
    # Nothing of persons: Release may begin with these words, and a table's may have several
    # rows. They are not in the link, which must not set what is a field of this page.
    own_table.describe_next(restated(columns, None), is_made_up=True)
    mine = control_value(own_table.COLUMNS)
    if mine is not None:
        own_table.describe_next(mine, is_made_up=False)
    script, link = page_links.link_to("What does it cost?", data="Your own table")
    link.pop(own_table.COLUMNS, None)
    st.switch_page(script, query_params=link)


def _train(name: str, note: str, records: str, columns: str) -> None:
    features = network_file(records, restated(columns, None))
    uploads.hand_over(f"{name}.npz", features, note, "features")
    values = {"dataset": features_npz.ENTRY.key, "network": "perceptron", "features": "raw"}
    settings = {key: str(train.CONTROLS[key].text(value)) for key, value in values.items()}
    script, link = page_links.link_to("Train", **settings)
    link.pop("lot", None)  # the usual one follows from the number of records
    st.switch_page(script, query_params=link)


def _plan(records: str) -> None:
    rows = sum(1 for _ in csv.reader(io.StringIO(records))) - 1
    script, link = page_links.link_to("What can I afford?", **{PEOPLE.key: str(rows)})
    st.switch_page(script, query_params=link)


def _draw_twin(
    form: ControlForm, records: ChosenTable | None, account: PayingAccount, actor: str
) -> ReleaseStep:
    running, latest = twin_under_way(account), account.twins.latest
    if running is not None:
        work.watch([WatchedAttempt(running, stored(TWIN_BEGUN), "twin")])
        return ReleaseStep("to do", TWIN_UNDER_WAY)
    released_twin = None if latest is None else latest.released
    if latest is not None and released_twin is not None:
        _draw_released_twin(released_twin, latest)
    elif latest is not None:
        payment.draw_without(latest, account)
    if records is not None:
        _twin_button(form.values, records, account, actor)
    if released_twin is None:
        return ReleaseStep("to do", TWIN_YET)
    return ReleaseStep("done", TWIN_PAID.format(entry=_twin_entry(released_twin)), stays_open=True)


def twin_under_way(account: PayingAccount | None) -> Attempt[Twin] | None:
    """The twin that this visitor began, or else another of the account, while it is under way."""
    return payment.under_way(None if account is None else account.twins.latest, TWIN_BEGUN)


def _twin_button(
    values: dict[str, Any], records: ChosenTable, account: PayingAccount, actor: str
) -> None:
    payment.draw_measurement(
        "twin",
        lambda left: _twin_price(values, records, left),
        TWIN_EPSILON,
        records,
        account,
        account.twins,
        actor,
        label=MAKE_TWIN if account.twins.latest is None else MAKE_ANOTHER_TWIN,
        icon=":material/group:",
        caption=TWIN_PAYS,
        begun=TWIN_BEGUN,
        is_own=values["release_table"] != DEMONSTRATION,
    )


def _twin_price(values: dict[str, Any], records: ChosenTable, left: Left) -> Price[TwinPlan]:
    plan = twin_plan(
        records.columns,
        records.count,
        epsilon=values[TWIN_EPSILON.key],
        delta=values["release_delta"],
        adjacency=left.account.terms.adjacency,
    )
    return Price(plan, left)


def _twin_entry(released_twin: Twin) -> int:
    entry: int = released_twin.card.document["facts"]["ledger"]["entry"]
    return entry


def _draw_released_twin(released_twin: Twin, attempt: Attempt[Twin]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        badges.status("proved", name="Twin")
        st.markdown(f"{payment.proved(released_twin.card.document)}.")
    payment.draw_files(attempt.files, TWIN_LABELS)
    has_pairs = released_twin.card.document["facts"]["mechanism"]["weight"] > 0
    st.caption(TWIN_HOLDS if has_pairs else TWIN_HOLDS_NO_PAIRS)
    _draw_ways(
        "twin",
        EXPLORE_TWIN,
        OF_A_TWIN,
        lambda: (released_twin.csv, released_twin.columns),
        is_as_many=True,
    )
    if attempt.refusal:
        refuse(attempt.refusal)
