"""Compare finished trainings of this session and those in a link."""

from __future__ import annotations

import re

import streamlit as st

from dpcore.controls.control import Link, Refusal
from dpcore.evaluation.training import measures
from dpcore.questions.comparison import finished
from dpcore.questions.comparison.finished import Finished
from dpcore.questions.training import figure, series
from dpcore.words import listed
from pages.shared import address
from pages.shared.display import download, on_dark, plot, table_behind
from pages.shared.session import control_value, set_controls, store, stored
from pages.train.calibration import CalibratedTraining
from pages.train.controls import Others, TrainChoice

# Names in the address of what is compared, and of what else ended in this session.
LINK, OTHERS = "compare", "trained"
MAX_TRAININGS = 50
KEY = re.compile(r"[0-9a-f]{24}")


def validate_link(link: Link) -> list[Refusal]:
    """Load the trainings in a link; refuse those not kept on this machine."""
    refusals: list[Refusal] = []
    keys: list[str] = []
    for key in dict.fromkeys(link.get(LINK, ())):
        reason = ""
        if not _is_kept(key):
            reason = "which is not kept on this machine."
        elif len(keys) == series.MAX_RUNS:
            reason = f"but at most {series.MAX_RUNS} are compared."
        if reason:
            refusals.append(Refusal(LINK, key, f"the training {address.quoted(key)}, {reason}"))
        else:
            keys.append(key)
    others = [key for key in dict.fromkeys(link.get(OTHERS, ())) if _is_kept(key)]
    store("train finished", [*keys, *(key for key in others if key not in keys)][:MAX_TRAININGS])
    # Without a choice, all are laid side by side, as when they ended.
    store("train compared", keys if LINK in link else others[-series.MAX_RUNS :])
    return refusals


LINKED: Others = {LINK: validate_link, OTHERS: None}
"""What the link holds besides controls."""


def _is_kept(key: str) -> bool:
    return bool(KEY.fullmatch(key)) and _load_or_none(key) is not None


def remember(current: str) -> None:
    """Write what ended in this session into the address, so that a reload does not forget it.

    The training on screen (`current`) is found without.
    """
    known = {current, *st.query_params.get_all(LINK)}
    others = [key for key in stored("train finished") or [] if key not in known]
    if st.query_params.get_all(OTHERS) != others:
        st.query_params[OTHERS] = others


def note(key: str) -> None:
    """Add a finished training to those that can be compared, and select it."""
    finished_keys: list[str] = stored("train finished") or []
    if key not in finished_keys:
        store("train finished", [*finished_keys, key][-MAX_TRAININGS:])
        store("train fresh", [*(stored("train fresh") or []), key])


@st.cache_resource(max_entries=100, show_spinner=False)
def _load(key: str) -> Finished:
    training = finished.finished(key)
    if training is None:
        raise LookupError  # an exception is not cached
    return training


def _load_or_none(key: str) -> Finished | None:
    try:
        return _load(key)
    except LookupError:
        return None


def show(choice: TrainChoice, _: CalibratedTraining) -> None:
    """Draw the choice of trainings, their charts, and their differences."""
    st.markdown(
        "Every training that ends in this session is listed here. Change a control, train again, "
        "and lay one over the other; the link keeps the choice."
    )
    finished_keys: list[str] = stored("train finished") or []
    keys_by_name = {
        str(place): key
        for place, key in enumerate(finished_keys, 1)
        if _load_or_none(key) is not None
    }
    if not keys_by_name:
        st.caption("No training has ended in this session yet.")
        return
    differing = _differing(list(keys_by_name.values()))
    titles = {
        key: finished.title(name, _load(key), choice.metric, differing[key])
        for name, key in keys_by_name.items()
    }
    # Set here, as a fragment cannot set a control outside of it.
    current, new_keys = control_value("compared"), stored("train fresh") or []
    if current is None or new_keys:
        candidates = [*(stored("train compared") or [] if current is None else current), *new_keys]
        available = [key for key in dict.fromkeys(candidates) if key in titles]
        set_controls({"compared": available[-series.MAX_RUNS :]})
        store("train fresh", [])
    chosen = st.multiselect(
        "Trainings to compare",
        list(titles),
        format_func=titles.__getitem__,
        max_selections=series.MAX_RUNS,
        key="compared",
    )
    store("train compared", chosen)
    if st.query_params.get_all(LINK) != chosen:
        st.query_params[LINK] = chosen
    remember(choice.study.key)
    trainings = {name: _load(key) for name, key in keys_by_name.items() if key in chosen}
    if trainings:
        _charts(trainings, choice.metric)


def _differing(keys: list[str]) -> dict[str, list[str]]:
    """For each training, the settings that differ among those of its data and network."""
    groups: dict[tuple[str, str], dict[str, Finished]] = {}
    for key in keys:
        training = _load(key)
        kind = (training.settings["dataset"], training.settings["network"])
        groups.setdefault(kind, {})[key] = training
    return {key: finished.differing(group) for group in groups.values() for key in group}


def _charts(trainings: dict[str, Finished], metric: str) -> None:
    known_runs = series.runs(list(trainings))
    table = measures.averaged(finished.histories(trainings))
    epochs = max(int(training.settings["epochs"]) for training in trainings.values())
    for place, column in zip(st.columns(2, border=True), (metric, "loss_train"), strict=True):
        with place:
            st.subheader(series.AXES[column], anchor=False)
            chart = figure.learning(table, column, epochs=epochs, known=known_runs, dark=on_dark())
            plot(chart, f"compare_{column}")
    table_behind(table, "compared_epoch_by_epoch", "Means over repetitions, epoch by epoch")
    unmeasured = [
        name for name, training in trainings.items() if training.results[metric[:-5]] is None
    ]
    if unmeasured:
        st.caption(f"No {series.METRICS[metric]} is measured in training {listed(unmeasured)}.")
    st.markdown(finished.difference(trainings))
    download(finished.table(trainings), "compared_trainings", "Settings and ends of each training")
