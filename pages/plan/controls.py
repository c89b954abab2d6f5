"""Plan's sidebar: the controls of one noisy training run. The address bar holds their values."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpcore.accounting.accountants import default_adjacency
from dpcore.accounting.presets import PRESETS, matching, preset
from dpcore.accounting.training_plan import TrainingPlan
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
from pages.shared.session import control_text, set_controls, store, stored
from pages.shared.widgets import Form

PENDING = "plan_pending"


@dataclass(frozen=True)
class PlanChoice:
    """Values of the controls.

    Parameters
    ----------
    training : TrainingPlan
        The run.
    per_epoch : int
        Steps of one pass over the data.
    """

    training: TrainingPlan
    per_epoch: int


def target() -> float:
    """The target ε of the whole run, from the question asked backwards."""
    return number("target ε", control_text("target") or TARGET.default, above=0.0)


def set_to(training: TrainingPlan) -> None:
    """Set the controls to this run; call this before they are drawn."""
    settings = values(training)
    store(PENDING, settings)
    set_controls(settings)


def drawn() -> None:
    """Note that the controls have reached the browser; from now on the reader sets them.

    An interrupted run of the page loses values that the browser has never seen. The old ones would
    return with the next event, so the new ones are set again until a run ends.
    """
    store(PENDING, None)


def sidebar() -> PlanChoice:
    """Draw the controls and read them.

    Raises
    ------
    InvalidInput
        From `dpcore`, for values that do not fit together.
    """
    set_controls(stored(PENDING) or {})
    form = Form(CONTROLS)
    with st.sidebar:
        presets_place, run_place = st.container(), st.container()
        form.draw("sampling", on_change=_reset_adjacency)
        is_nominal = form.draw("neighbour") == Adjacency.ADD_REMOVE
        with run_place:
            size = {"label": "Public size", "help": PUBLIC_SIZE} if is_nominal else {}
            form.draw("records", **size)
            form.draw("batch")
            length = form.draw("length", on_change=_carry_length)
            form.draw("duration", label=LENGTHS[length], help=EPOCHS if length == "epochs" else "")
            form.draw("sigma", "clip", "decay")
            form.draw("every", disabled=form.draw("decays") != "steps")
            form.draw("plan_delta")
            _share(form.values["records"], form.values["plan_delta"])
    training, per_epoch = _read(form, is_nominal=is_nominal)
    store("plan_length", (training.steps, per_epoch))
    with presets_place:
        _presets(training)
    return PlanChoice(training, per_epoch)


def _read(form: Form, *, is_nominal: bool) -> tuple[TrainingPlan, int]:
    """The run, and the steps of one pass over the data."""
    fields = CONTROLS.fields(form.values)
    records = whole("public size" if is_nominal else "records n", fields["records"], at_least=1)
    batch = whole("batch size", fields["batch"], at_least=1, at_most=records)
    per_epoch = steps_per_epoch(records, batch)
    steps = whole("steps", fields["steps"], at_least=1)
    every = {"epoch": per_epoch, "step": 1}.get(fields["decay_every"], form.values["every"])
    checked = {
        "sigma": number("σ₀", fields["sigma"], above=0.0),
        "records": records,
        "batch": batch,
        "steps": steps if form.values["length"] == "steps" else steps * per_epoch,
        "decay_every": 1 if fields["decay"] == 1.0 else every,
        "adjacency": Adjacency(fields["adjacency"]),
    }
    return TrainingPlan(**{**fields, **checked}), per_epoch


def _share(records: int, delta: float) -> None:
    """Show n·δ, with a warning if it is large."""
    share = records * delta
    warning = ": large. At δ = 1/n one record could be published outright."
    st.caption(f"n·δ = {plain(share)}{warning if share > 0.1 else '.'}")


def _presets(training: TrainingPlan) -> None:
    """Draw the drop-down that sets all controls at once, and shows the matching preset."""
    titles = {key: item.title for key, item in PRESETS.items()}
    matched = matching(training)
    set_controls({"preset": None if matched is None else matched.key})
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
    key = control_text("preset")
    if key in PRESETS:
        set_to(preset(key).training)


def _reset_adjacency() -> None:
    """Set the adjacency that the theorems of the new sampling use."""
    set_controls({"neighbour": str(default_adjacency(control_text("sampling")))})


def _carry_length() -> None:
    """Keep the run's length when its unit changes."""
    steps, per_epoch = stored("plan_length") or (FIRST.steps, FIRST.decay_every)
    if control_text("length") == "steps":
        set_controls({"duration": steps})
    else:
        set_controls({"duration": max(1, round(steps / per_epoch))})
