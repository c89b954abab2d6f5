"""Finished trainings of this session, and those a link names, laid over each other."""

from __future__ import annotations

import re

import streamlit as st

from dpcore.controls import Refusal
from dpcore.controls.link import Link
from dpcore.datasets import images
from dpcore.evaluation import comparison, finished
from dpcore.evaluation.finished import Finished
from dpcore.figures import training as figures
from dpcore.figures.words import at_most, listed, plain
from pages.shared import query
from pages.shared.charts import download, on_dark, plot, table_behind
from pages.shared.session import held, keep, kept, put
from pages.train import texts
from pages.train.calibration import CalibratedTraining
from pages.train.controls import TrainChoice

LINK = "compare"
MOST_KEPT = 50
KEY = re.compile(r"[0-9a-f]{24}")


def validate_link(link: Link) -> list[Refusal]:
    """Take in the trainings that a link names; those that are not kept here are refused."""
    refused, found = [], []
    for key in dict.fromkeys(link.get(LINK, ())):
        why = ""
        if not KEY.fullmatch(key) or _known(key) is None:
            why = "which is not kept on this machine."
        elif len(found) == figures.MOST_RUNS:
            why = f"but at most {figures.MOST_RUNS} are compared."
        if why:
            refused.append(Refusal(LINK, key, f"the training {query.quoted(key)}, {why}"))
        else:
            found.append(key)
    keep("train finished", found)
    keep("train compared", found)
    return refused


def note(key: str) -> None:
    """A training has ended: it joins those that can be compared, and is laid over the others."""
    ended: list[str] = kept("train finished") or []
    if key not in ended:
        keep("train finished", [*ended, key][-MOST_KEPT:])
        keep("train fresh", [*(kept("train fresh") or []), key])


@st.cache_resource(max_entries=100, show_spinner=False)
def _found(key: str) -> Finished:
    found = finished.finished(key)
    if found is None:
        raise LookupError  # which is not kept for the next time
    return found


def _known(key: str) -> Finished | None:
    try:
        return _found(key)
    except LookupError:
        return None


def show(asked: TrainChoice, _: CalibratedTraining) -> None:
    """Which to compare, their charts, and in what they differ."""
    st.markdown(texts.COMPARE)
    ended: list[str] = kept("train finished") or []
    named = {str(place): key for place, key in enumerate(ended, 1) if _known(key) is not None}
    if not named:
        st.caption("No training has ended in this session yet.")
        return
    differing = _differing(list(named.values()))
    titles = {
        key: _title(name, _found(key), asked.metric, differing[key]) for name, key in named.items()
    }
    # Only here: a value that a live part sets for a control outside of it does not reach that.
    now, fresh = held("compared"), kept("train fresh") or []
    if now is None or fresh:
        joined = [*(kept("train compared") or [] if now is None else now), *fresh]
        there = [key for key in dict.fromkeys(joined) if key in titles]
        put({"compared": there[-figures.MOST_RUNS :]})
        keep("train fresh", [])
    chosen = st.multiselect(
        "Trainings to compare",
        list(titles),
        format_func=titles.__getitem__,
        max_selections=figures.MOST_RUNS,
        key="compared",
    )
    keep("train compared", chosen)
    if st.query_params.get_all(LINK) != chosen:
        query.write(LINK, chosen)
    found = {name: _found(key) for name, key in named.items() if key in chosen}
    if found:
        _charts(found, asked.metric)


def _differing(keys: list[str]) -> dict[str, list[str]]:
    """Of each training, the settings in which it differs from others of its data and network."""
    alike: dict[tuple[str, str], dict[str, Finished]] = {}
    for key in keys:
        found = _found(key)
        kind = (found.settings["dataset"], found.settings["network"])
        alike.setdefault(kind, {})[key] = found
    return {key: finished.differing(group) for group in alike.values() for key in group}


def _title(name: str, found: Finished, metric: str, differing: list[str]) -> str:
    settings, results = found.settings, found.results
    value = results[metric.removesuffix("_test")]
    spent = "" if results["epsilon"] is None else f", certified ε = {at_most(results['epsilon'])}"
    reached = "" if value is None else f": {figures.shown(metric)(value)}"
    data = images.entry(settings["dataset"]).title
    own = "".join(f", {_called(each)} {_said(settings[each])}" for each in differing)
    return f"{name}. {data}, {settings['network']}{own}{spent}{reached}"


def _called(setting: str) -> str:
    return texts.NAMES.get(setting, setting.replace("_", " ")).removeprefix("the ")


def _said(value: object) -> str:
    return plain(value) if isinstance(value, int | float) else str(value)


def _charts(found: dict[str, Finished], metric: str) -> None:
    known = figures.runs(list(found))
    table = comparison.averaged(finished.histories(found))
    epochs = max(int(each.settings["epochs"]) for each in found.values())
    for place, column in zip(st.columns(2, border=True), (metric, "loss_train"), strict=True):
        with place:
            st.subheader(figures.AXES[column], anchor=False)
            drawn = figures.learning(table, column, epochs=epochs, known=known, dark=on_dark())
            plot(drawn, f"compare_{column}")
    table_behind(table, "compared_epoch_by_epoch", "Means over runs, epoch by epoch")
    without = [name for name, each in found.items() if each.results[metric[:-5]] is None]
    if without:
        st.caption(f"No {figures.METRICS[metric]} is measured in training {listed(without)}.")
    st.markdown(_difference(found))
    download(finished.table(found), "compared_trainings", "Settings and ends of each training")


def _difference(found: dict[str, Finished]) -> str:
    if len(found) < 2:
        return texts.COMPARE_MORE
    differing = [
        texts.NAMES.get(name, name.replace("_", " ")) for name in finished.differing(found)
    ]
    if not differing:
        return "They were set alike."
    return f"They differ in {listed(differing)}."
