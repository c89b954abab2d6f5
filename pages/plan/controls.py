"""Draw the controls of a run, and the budgets of the account and of releases, asked for alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from dpcore.accounting.accountants import default_adjacency
from dpcore.accounting.events import (
    OUTPUTS,
    TrainingPlan,
    check_basis,
    steps_per_epoch,
    usual_batch,
)
from dpcore.accounting.paper_003 import PRESETS, matching, preset
from dpcore.accounting.risk_target import RiskTarget
from dpcore.controls.common import ADJACENCIES, AS_RISK, PUBLIC_SIZE, SAID_AS
from dpcore.controls.control import Control
from dpcore.controls.plan import (
    ACCOUNT,
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
from dpcore.guarantee import Adjacency, PrivacyBudget, default_delta
from dpcore.words import plain
from pages.shared import risk_box
from pages.shared.session import control_text, control_value, set_controls, store, stored
from pages.shared.widgets import ControlForm, choose_preset, chosen, drawn, follows, hold_preset

ADD_REMOVE = str(Adjacency.ADD_REMOVE)
TOO_LARGE = 0.1 * (1.0 + 1e-9)
PRESET = (
    "Settings printed in paper 003 (Zhang et al.), or taken from its tables, to start from. Any "
    "control may be changed afterwards. *Accountants* lists what each claims and what is certified "
    "for it."
)


@dataclass(frozen=True)
class TypedBudget:
    """Hold what is typed."""

    limit: PrivacyBudget
    adjacency: Adjacency
    people: int
    others: dict[str, float]


def typed_budget(
    controls: Sequence[Control] = ACCOUNT,
    usual: Sequence[Any] = (None,) * len(ACCOUNT),
    more: Iterable[Control] = (),
) -> TypedBudget:
    """Draw ε, the number of people and further numbers, δ and the adjacency one click away.

    Call it in a horizontal container; refuses an ε that is no number in range.
    """
    epsilon, stop, people, neighbour = controls
    epsilon_first, stop_first, people_first, neighbour_first = usual
    epsilon_text = drawn(epsilon, usual=epsilon_first, width=120)
    linked = st.query_params.get(neighbour.key) == neighbour.text(ADD_REMOVE)
    protected = control_value(neighbour.key) or (ADD_REMOVE if linked else neighbour_first)
    size = {"label": "Public size", "help": PUBLIC_SIZE} if protected == ADD_REMOVE else {}
    count = drawn(people, usual=people_first, width=150, **size)
    others = {control.key: drawn(control, width=130) for control in more}
    with st.popover("δ and what is protected", icon=":material/shield_person:"):
        chosen = drawn(stop, usual=stop_first)
        adjacency = Adjacency(drawn(neighbour, usual=neighbour_first))
    records = whole("people in the data", count, at_least=1)
    epsilon_typed = number(
        "budget ε", meant("budget ε", epsilon_text), at_least=0.001, at_most=1000.0
    )
    return TypedBudget(
        PrivacyBudget(epsilon_typed, _delta(chosen, records)), adjacency, records, others
    )


def _delta(stop: float, records: int) -> float:
    return default_delta(records) if stop == BY_RULE else stop


def of_account() -> list[Any]:
    """The values of the account's controls, in the order of `ACCOUNT`, drawn or not."""
    values = [control_value(control.key) for control in ACCOUNT]
    return [
        control.default if value is None else value
        for control, value in zip(ACCOUNT, values, strict=True)
    ]


def account_counts() -> tuple[float, Adjacency, int]:
    """Return δ, the adjacency and the number of people that the account counts with."""
    _, stop, people, neighbour = of_account()
    return _delta(stop, people), Adjacency(neighbour), people


def keep_controls(controls: Sequence[Control], usual: Sequence[Any]) -> None:
    """Draw, unseen, the controls of another question that have been set.

    The address holds the values of drawn controls only, and each question has a budget of its own.
    """
    changed = [
        (control, first)
        for control, first in zip(controls, usual, strict=True)
        if _is_set(control, first)
    ]
    if changed:
        with st.container(key=f"unseen {controls[0].key}"):
            for control, first in changed:
                drawn(control, usual=first)


def _is_set(control: Control, usual: Any) -> bool:
    value = control_value(control.key)
    if value is None:
        return control.key in st.query_params
    return not (value == usual or follows(control))


def note_budget(budget: PrivacyBudget, adjacency: Adjacency, people: int) -> None:
    """Say for which δ and neighbours all figures hold."""
    rule = "by the rule" if budget.delta == default_delta(people) else "as chosen"
    share = people * budget.delta
    large = " That is large: at δ = 1/n one record could be published." if share > TOO_LARGE else ""
    st.caption(
        f"δ = {plain(budget.delta)} {rule}, n·δ = {plain(share)}.{large} Protected: "
        f"{ADJACENCIES[str(adjacency)].lower()} ({adjacency})."
    )


def set_to(training: TrainingPlan, **others: object) -> None:
    """Set the controls, and others by key, to this run; call this before they are drawn."""
    chosen("batch")
    hold_preset("plan", values(training) | others)


def keep_run() -> None:
    """Draw, unseen, what is set of the run, for the address to hold; no other page shares it."""
    epsilon, stop, people, neighbour = of_account()
    usual = {"target": epsilon, "plan_delta": stop, "records": people, "neighbour": neighbour}
    usual["batch"] = usual_batch(control_value("records") or people)
    controls = [
        replace(control, state="") for control in (SOLVE, SAID_AS, TARGET, *AS_RISK, *CONTROLS)
    ]
    keep_controls(controls, [usual.get(control.key, control.default) for control in controls])


def target() -> float | RiskTarget:
    """Draw the budget of the run, an ε that begins with the account's, or a risk."""
    with st.popover(risk_box.TITLE, icon=risk_box.ICON):  # one control less in sight
        said_as = drawn(SAID_AS, width="content")
        if said_as != "epsilon":
            return risk_box.target(said_as)
    account_epsilon = of_account()[0]
    typed = drawn(TARGET, usual=account_epsilon, label="Budget ε", width=120)
    return number("budget ε", meant("budget ε", typed), at_least=0.001, at_most=1000.0)


def sidebar(unknown: str) -> TrainingPlan:
    """Draw the controls, that of the unknown for nobody to set; returns the run."""
    form = ControlForm(CONTROLS)
    _, stop, people, neighbour = of_account()
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
            form.draw("chosen_of", "chosen_of_by")
    training = _read(form, is_nominal=is_nominal)
    with presets_place:
        _presets(training)
    return training


def _solved(is_unknown: bool, label: str) -> dict[str, Any]:
    return {"label": f"{label}: solved for" if is_unknown else label, "disabled": is_unknown}


def _run_delta(form: ControlForm) -> float:
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
        "delta": _run_delta(form),
        "records": records,
        "batch": batch,
        "steps": steps if form.values["length"] == "steps" else steps * per_epoch,
        "decay_every": intervals[fields.get("decay_every", "step")],
        "adjacency": Adjacency(fields["adjacency"]),
    }
    check_basis(form.values.get("chosen_of_by") or OUTPUTS)
    training = TrainingPlan(**{**fields, **checked})
    store("plan_length", (training.steps, per_epoch))
    return training


def _presets(training: TrainingPlan) -> None:
    matched = matching(training)
    choose_preset(
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
