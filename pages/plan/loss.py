"""Show what one more model loses against no privacy, on a data set at hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.accounting.account import Account
from dpcore.controls.account import MODEL_DATA
from dpcore.controls.explore import COHORTS
from dpcore.datasets import availability, entry
from dpcore.errors import InvalidInput
from dpcore.evaluation.model_loss import LossStudy, loss_study, task
from dpcore.figures.cost import Cost
from dpcore.figures.quality import ACCURACY
from dpcore.rounding import stop_below
from dpcore.words import as_set, spaced
from pages.plan import texts
from pages.shared import work
from pages.shared.verbatim import refuse
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.accounting.entries import AccountEntry

PLACE = "loss"


def of_models(models: Sequence[AccountEntry], account: Account, people: int) -> dict[str, str]:
    """Draw whose records are learned from; returns what each model loses there, by method.

    The synthetic cohort has about as many patients as the account counts `people`. The result is
    empty as long as no loss is known.
    """
    dataset = drawn(MODEL_DATA, width=320)
    about = entry(dataset)
    if availability(dataset) not in ("built in", "local"):
        st.caption(texts.NOT_AT_HAND.format(title=about.title))
        return {}
    records = int(stop_below(COHORTS, people)) if dataset == "cohort" else None
    try:
        study = loss_study(
            dataset,
            records,
            str(account.adjacency),
            0,
            tuple(
                (str(one.method), float(one.epsilon or 0.0), one.delta or account.budget.delta)
                for one in models
            ),
        )
    except InvalidInput as refusal:
        refuse(refusal)
        return {}
    st.caption(
        texts.LEARNED_FROM.format(
            records=f"{spaced(records or about.records)} {about.records_are}", title=about.title
        )
    )
    work.only(PLACE, [study.key])
    job = work.WatchedJobs(PLACE, PLACE, {texts.LOSING: study}, _submit)
    if job.drawn != "done":
        work.watch([job])
        return {}
    rows = work.result(study.key)
    return {str(row["method"]): _words(row) for _, row in rows.iterrows()}


def _submit(place: str, study: LossStudy) -> None:
    work.submit(place, task(study))


def _words(row: pd.Series) -> str:
    cost = Cost.of(row, float(row["accuracy_baseline"]), ACCURACY)
    return (
        f"Right for {ACCURACY.shown(cost.value)} at ε = {as_set(row['epsilon'])}; {cost.without}. "
        f"Of that {cost.parts}."
    )
