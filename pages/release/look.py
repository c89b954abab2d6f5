"""Draw step 3: how one may look before, and what the noise costs on made-up records."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.controls.release import STAND_IN, TWIN, TWIN_EPSILON
from dpcore.progress import Progress
from dpcore.release.made_up import Rehearsed, rehearse, stand_in
from dpcore.release.payment import Price
from dpcore.release.plan import ReleasePlan
from dpcore.release.table import harmless_columns
from dpcore.words import percent, points
from pages.release import made_up, texts, twin
from pages.release.budget import ReleaseBudget
from pages.release.records import ChosenTable
from pages.release.steps import ReleaseStep
from pages.shared import work
from pages.shared.session import store, stored
from pages.shared.widgets import ControlForm

REHEARSED_PLAN, LOOKED_AT = "release rehearsal", "release looked at"
STAND_IN_RECORDS = 1_000


def draw(form: ControlForm) -> None:
    look = form.draw("release_look")
    st.caption(texts.LOOKS[look])
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
        _stand_in(records, paid_from.price)
        if records is None:
            return ReleaseStep("not possible yet", texts.READ_FIRST)
        if stored(LOOKED_AT) != records.columns:
            return ReleaseStep("optional", texts.LOOK_YET)
    if look != TWIN:
        return ReleaseStep("done", texts.LOOKED[look])
    is_ready = second.needs_nothing and fourth.state != "not possible yet" and bool(paid_from.actor)
    if not is_ready:
        st.caption(texts.TWIN_FIRST)
    if paid_from.account is None:
        return ReleaseStep("to do", texts.TWIN_YET)
    return twin.draw(form, records if is_ready else None, paid_from.account, paid_from.actor)


def _stand_in(records: ChosenTable | None, price: Price[ReleasePlan] | None) -> None:
    plan_key = "" if price is None else str(price.plan)
    with st.container(horizontal=True, vertical_alignment="center"):
        if price is not None and stored(REHEARSED_PLAN) != plan_key:
            st.button(
                texts.REHEARSE,
                key="release_rehearse",
                icon=":material/science:",
                on_click=store,
                args=(REHEARSED_PLAN, plan_key),
            )
        if records is not None:
            st.download_button(
                texts.STAND_IN,
                partial(stand_in, records.columns, STAND_IN_RECORDS),
                file_name="standin.csv",
                icon=":material/download:",
                on_click=store,
                args=(LOOKED_AT, records.columns),
                key="release_stand_in",
            )
    if records is not None:
        made_up.ways(
            "standin",
            texts.EXPLORE,
            texts.OF_A_STAND_IN,
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
        "rehearsal", texts.REHEARSING, plan_key, partial(_rehearsed, plan), quick=True
    )
    work.watch(work.watched(waiting, "rehearsal"))
    if rehearsal is not None:
        store(LOOKED_AT, plan.columns)
        st.markdown(_rehearsal_sentence(rehearsal))
        st.caption(texts.REHEARSED)


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
