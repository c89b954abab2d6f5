"""Draw Plan's sidebar: the controls of one noisy training run, whose values the address holds."""

from __future__ import annotations

import streamlit as st

from dpcore.accounting.accountants import default_adjacency
from dpcore.accounting.presets import PRESETS, matching, preset
from dpcore.accounting.training_plan import TrainingPlan, steps_per_epoch
from dpcore.controls.common import PUBLIC_SIZE
from dpcore.controls.plan import (
    BY_RULE,
    CONTROLS,
    EPOCHS,
    FIRST,
    LENGTHS,
    PAPER,
    TARGET,
    values,
)
from dpcore.datasets.own.typed_numbers import meant
from dpcore.errors import number, whole
from dpcore.figures.words import plain
from dpcore.guarantee import Adjacency, default_delta
from pages.plan import texts
from pages.shared import presets
from pages.shared.session import control_text, set_controls, store, stored
from pages.shared.widgets import ControlForm, chosen, drawn


def target() -> float:
    """Read the target ε of the whole run, from the question asked backwards."""
    typed = control_text(TARGET.key) or TARGET.default
    return number("target ε", meant("target ε", typed), at_least=0.001, at_most=1000.0)


def set_to(training: TrainingPlan, **others: object) -> None:
    """Set the controls, and others by key, to this run; call this before they are drawn."""
    chosen("batch")
    presets.hold("plan", values(training) | others)


def sidebar() -> tuple[TrainingPlan, bool]:
    """Draw the controls; returns the run, and whether it is compared with paper 003."""
    presets.apply_stored("plan")
    form = ControlForm(CONTROLS)
    with st.sidebar:
        presets_place, run_place = st.container(), st.container()
        form.draw("sampling", on_change=_reset_adjacency)
        is_nominal = form.draw("neighbour") == Adjacency.ADD_REMOVE
        with run_place:
            size = {"label": "Public size", "help": PUBLIC_SIZE} if is_nominal else {}
            records = form.draw("records", **size)
            form.draw("batch", usual=CONTROLS["batch"].usual(records))
            length = form.draw("length", on_change=_carry_length)
            form.draw("duration", label=LENGTHS[length], help=EPOCHS if length == "epochs" else "")
            form.draw("sigma", "clip", "decay", "decays", "every", "plan_delta")
            _share(form.values["records"], _delta(form))
    training = _read(form, is_nominal=is_nominal)
    with presets_place:
        _presets(training)
        is_compared = drawn(PAPER)
    return training, is_compared


def _delta(form: ControlForm) -> float:
    chosen: float = form.values["plan_delta"]
    return default_delta(form.values["records"] or 1) if chosen == BY_RULE else chosen


def _read(form: ControlForm, *, is_nominal: bool) -> TrainingPlan:
    fields = CONTROLS.fields(form.values)
    records = whole("public size" if is_nominal else "records n", fields["records"], at_least=1)
    batch = whole("batch size", fields["batch"], at_least=1, at_most=records)
    per_epoch = steps_per_epoch(records, batch)
    steps = whole("steps", fields["steps"], at_least=1)
    # Controls that are not shown set nothing: noise that never decays has no interval.
    intervals = {"epoch": per_epoch, "step": 1, "steps": form.values.get("every")}
    checked = {
        "sigma": number("σ₀", fields["sigma"], above=0.0),
        "delta": _delta(form),
        "records": records,
        "batch": batch,
        "steps": steps if form.values["length"] == "steps" else steps * per_epoch,
        "decay_every": intervals[fields.get("decay_every", "step")],
        "adjacency": Adjacency(fields["adjacency"]),
    }
    training = TrainingPlan(**{**fields, **checked})
    store("plan_length", (training.steps, per_epoch))
    return training


def _share(records: int, delta: float) -> None:
    share = (records or 1) * delta
    warning = ": large. At δ = 1/n one record could be published outright."
    large = share > 0.1 * (1.0 + 1e-9)
    st.caption(f"δ = {plain(delta)}, n·δ = {plain(share)}{warning if large else '.'}")


def _presets(training: TrainingPlan) -> None:
    matched = matching(training)
    presets.start_from(
        "preset",
        {key: item.title for key, item in PRESETS.items()},
        None if matched is None else matched.key,
        lambda key: set_to(preset(key).training, paper=True),
        placeholder="Of paper 003",
        help=texts.PRESET,
    )


def _reset_adjacency() -> None:
    set_controls({"neighbour": str(default_adjacency(control_text("sampling")))})


def _carry_length() -> None:
    an_epoch = steps_per_epoch(FIRST.records, FIRST.batch)
    steps, per_epoch = stored("plan_length") or (FIRST.steps, an_epoch)
    if control_text("length") == "steps":
        set_controls({"duration": steps})
    else:
        set_controls({"duration": max(1, round(steps / per_epoch))})
