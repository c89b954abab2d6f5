"""The controls beside Plan, placed: one noisy training run. The address bar holds their values."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpcore.accounting.accountants import default_adjacency
from dpcore.accounting.planner import TrainingPlan
from dpcore.accounting.presets import PRESETS, matching, preset
from dpcore.controls.common import PUBLIC_SIZE
from dpcore.controls.plan import (
    CONTROLS,
    EPOCHS,
    FIRST,
    LENGTHS,
    TARGET,
    steps_per_epoch,
    values,
)
from dpcore.errors import number, whole
from dpcore.figures.words import plain
from dpcore.guarantee import Adjacency
from pages.plan import texts
from pages.shared.session import chosen, keep, kept, put
from pages.shared.widgets import Form

PENDING = "plan_pending"


@dataclass(frozen=True)
class PlanChoice:
    """What the controls say.

    Parameters
    ----------
    training : Training
        The run.
    per_epoch : int
        Steps of one pass over the data.
    """

    training: TrainingPlan
    per_epoch: int


def target() -> float:
    """The ε that may be spent in all, as the question asked backwards says."""
    return number("target ε", chosen("target") or TARGET.default, above=0.0)


def set_to(training: TrainingPlan) -> None:
    """Have the controls say exactly this run; to be called before they are drawn."""
    said = values(training)
    keep(PENDING, said)
    put(said)


def drawn() -> None:
    """The controls have reached the browser: from here on they say what the reader sets.

    A run of the page that is cut short may take values with it that the browser has never seen. Its
    old ones would come back with the next event, so until a run ends they are set again.
    """
    keep(PENDING, None)


def sidebar() -> PlanChoice:
    """Draw the controls and read them.

    Raises
    ------
    InvalidInput
        From `dpcore`, for values that do not fit together.
    """
    put(kept(PENDING) or {})
    form = Form(CONTROLS)
    with st.sidebar:
        first, run = st.container(), st.container()
        form.draw("sampling", on_change=_usual_adjacency)
        nominal = form.draw("neighbour") == Adjacency.ADD_REMOVE
        with run:
            size = {"label": "Public size", "help": PUBLIC_SIZE} if nominal else {}
            form.draw("records", **size)
            form.draw("batch")
            length = form.draw("length", on_change=_carry_length)
            form.draw("duration", label=LENGTHS[length], help=EPOCHS if length == "epochs" else "")
            form.draw("sigma", "clip", "decay")
            form.draw("every", disabled=form.draw("decays") != "steps")
            form.draw("plan_delta")
            _share(form.values["records"], form.values["plan_delta"])
    training, per_epoch = _read(form, nominal=nominal)
    keep("plan_length", (training.steps, per_epoch))
    with first:
        _presets(training)
    return PlanChoice(training, per_epoch)


def _read(form: Form, *, nominal: bool) -> tuple[TrainingPlan, int]:
    """The run, and the steps of one pass over the data."""
    fields = CONTROLS.fields(form.values)
    records = whole("public size" if nominal else "records n", fields["records"], at_least=1)
    batch = whole("batch size", fields["batch"], at_least=1, at_most=records)
    per_epoch = steps_per_epoch(records, batch)
    steps = whole("steps", fields["steps"], at_least=1)
    every = {"epoch": per_epoch, "step": 1}.get(fields["decay_every"], form.values["every"])
    changed = {
        "sigma": number("σ₀", fields["sigma"], above=0.0),
        "records": records,
        "batch": batch,
        "steps": steps if form.values["length"] == "steps" else steps * per_epoch,
        "decay_every": 1 if fields["decay"] == 1.0 else every,
        "adjacency": Adjacency(fields["adjacency"]),
    }
    return TrainingPlan(**{**fields, **changed}), per_epoch


def _share(records: int, delta: float) -> None:
    """How much of one record δ gives away."""
    share = records * delta
    large = ": large. At δ = 1/n one record could be published outright."
    st.caption(f"n·δ = {plain(share)}{large if share > 0.1 else '.'}")


def _presets(training: TrainingPlan) -> None:
    """A drop-down that sets all the controls at once, and names the settings they are at."""
    titles = {key: found.title for key, found in PRESETS.items()}
    found = matching(training)
    put({"preset": None if found is None else found.key})
    st.selectbox(
        "Start from",
        list(titles),
        index=None,
        format_func=titles.__getitem__,
        placeholder="Settings of paper 003",
        key="preset",
        help=texts.PRESET,
        on_change=_load,
    )


def _load() -> None:
    key = chosen("preset")
    if key in PRESETS:
        set_to(preset(key).training)


def _usual_adjacency() -> None:
    """Another sampling begins with the adjacency that its theorems speak of."""
    put({"neighbour": str(default_adjacency(chosen("sampling")))})


def _carry_length() -> None:
    """The run keeps its length when only its unit is changed."""
    steps, per_epoch = kept("plan_length") or (FIRST.steps, FIRST.decay_every)
    if chosen("length") == "steps":
        put({"duration": steps})
    else:
        put({"duration": max(1, round(steps / per_epoch))})
