"""Draw the controls of one noisy training run, whose values the address holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from dpcore.accounting.accountants import default_adjacency
from dpcore.accounting.paper_003 import PRESETS, matching, preset
from dpcore.accounting.training_plan import TrainingPlan, steps_per_epoch, usual_batch
from dpcore.controls.common import PUBLIC_SIZE
from dpcore.controls.plan import (
    BY_RULE,
    CONTROLS,
    EPOCHS,
    FIRST,
    LENGTHS,
    SOLVE,
    TARGET,
    values,
)
from dpcore.datasets.own.typed_numbers import meant
from dpcore.errors import number, whole
from dpcore.guarantee import Adjacency, default_delta
from pages.plan import budget
from pages.shared import presets
from pages.shared.session import control_text, control_value, set_controls, store, stored
from pages.shared.widgets import ControlForm, chosen, drawn

PRESET = (
    "Settings printed in paper 003 (Zhang et al.), or taken from its tables, to start from. Any "
    "control may be changed afterwards. *Accountants* lists what each claims and what is certified "
    "for it."
)


def set_to(training: TrainingPlan, **others: object) -> None:
    """Set the controls, and others by key, to this run; call this before they are drawn."""
    chosen("batch")
    presets.hold("plan", values(training) | others)


def keep() -> None:
    """Draw, unseen, what is set of the run, for the address to hold; no other page shares it."""
    epsilon, stop, people, neighbour = budget.of_account()
    usual = {"target": epsilon, "plan_delta": stop, "records": people, "neighbour": neighbour}
    usual["batch"] = usual_batch(control_value("records") or people)
    controls = [replace(control, state="") for control in (SOLVE, TARGET, *CONTROLS)]
    budget.keep(controls, [usual.get(control.key, control.default) for control in controls])


def target() -> float:
    """Draw the budget of the run, which begins with the account's; returns its ε."""
    account_epsilon = budget.of_account()[0]
    typed = drawn(TARGET, usual=account_epsilon, label="Budget ε", width=120)
    return number("budget ε", meant("budget ε", typed), at_least=0.001, at_most=1000.0)


def sidebar(unknown: str) -> TrainingPlan:
    """Draw the controls, that of the unknown for nobody to set; returns the run."""
    form = ControlForm(CONTROLS)
    _, stop, people, neighbour = budget.of_account()
    with st.sidebar:
        run_place, rest = st.container(), st.expander("More settings", icon=":material/tune:")
        with rest:
            presets_place = st.container()
            form.draw("sampling", on_change=_reset_adjacency)
            is_nominal = form.draw("neighbour", usual=neighbour) == Adjacency.ADD_REMOVE
        with run_place:
            size = {"label": "Public size", "help": PUBLIC_SIZE} if is_nominal else {}
            records = form.draw("records", usual=people, **size)
            batch = CONTROLS["batch"].usual(records)
            form.draw("batch", usual=batch, **_solved(unknown == "batch", "Batch size"))
            length = form.draw("length", on_change=_carry_length)
            help = EPOCHS if length == "epochs" else ""
            form.draw("duration", help=help, **_solved(unknown == "epochs", LENGTHS[length]))
            form.draw("sigma", **_solved(unknown == "sigma", "First noise σ₀"))
        with rest:
            form.draw("clip", "decay", "decays", "every")
            form.draw("plan_delta", usual=stop, **_solved(unknown == "delta", "δ"))
    training = _read(form, is_nominal=is_nominal)
    with presets_place:
        _presets(training)
    return training


def _solved(is_unknown: bool, label: str) -> dict[str, Any]:
    return {"label": f"{label}: solved for" if is_unknown else label, "disabled": is_unknown}


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


def _presets(training: TrainingPlan) -> None:
    matched = matching(training)
    presets.start_from(
        "preset",
        {key: item.title for key, item in PRESETS.items()},
        None if matched is None else matched.key,
        lambda key: set_to(preset(key).training),
        placeholder="Of paper 003",
        help=PRESET,
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
