"""Train's answer while it trains and after: big numbers, how far it is, four charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.train import MOST_SEED
from dpcore.datasets import images
from dpcore.evaluation import comparison, jobs
from dpcore.evaluation.scoring import ACCURACY, AREA
from dpcore.evaluation.tuned_configs import chosen_on
from dpcore.figures import training as figures
from dpcore.figures.quality import Quality
from dpcore.figures.verdict import few_records
from dpcore.figures.words import at_most, counted, plain
from pages.shared import badges, takeaway
from pages.shared.charts import on_dark, plot, table_behind
from pages.shared.session import chosen, keep, kept, put
from pages.train import calibration, texts, trainings
from pages.train import comparison as train_comparison
from pages.train.calibration import CalibratedTraining
from pages.train.controls import TrainChoice

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.delta_generator import DeltaGenerator
    from streamlit.elements.layouts import GridContainer

ROOM = 2_400  # pixels, about as high as the answer


def title() -> None:
    """The page's question, and its link."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title("What does privacy do to a network?", anchor=False)
        st.space("stretch")
        takeaway.link()


def purpose(asked: TrainChoice) -> None:
    """What is trained, in words."""
    config, entry = asked.study.config, asked.entry
    layers = " × ".join(f"{width:,}" for width in config.widths)
    network = {
        "linear": "linear network",
        "perceptron": f"perceptron with {layers} hidden units",
        "cnn": "convolutional network",
        "cnn-lean": "lean convolutional network",
    }[config.network]
    inputs = {"raw": "", "deskewed": " on images set upright"}.get(
        asked.study.features, " on scattering features"
    )
    st.caption(
        f"{entry.title}: {entry.purpose} {network[0].upper()}{network[1:]}{inputs}, "
        f"{counted(config.epochs, 'epoch')}, ε = {plain(asked.study.epsilon or 0.0)}, "
        f"δ = {plain(config.delta)}."
    )
    if asked.uploaded is not None:
        st.warning(texts.UPLOADED, icon=":material/privacy_tip:")


@contextmanager
def place(key: str) -> Iterator[Callable[[], DeltaGenerator]]:
    """Where the answer is drawn: what stands there for other settings goes at once.

    Parameters
    ----------
    key : str
        Of the settings: the same as in the last run leaves everything until it is drawn anew.
    """
    if kept("train shown") == key:
        yield st.container
        st.empty()
        return
    keep("train shown", key)
    trainings.leave_all()
    spot, room = st.empty(), st.empty()
    spot.caption(texts.COMPUTING)
    # A page that is suddenly short would jump to its top.
    room.space(ROOM)
    yield spot.container
    room.empty()


def show(asked: TrainChoice, calibrated: CalibratedTraining) -> None:
    """All that changes while it trains."""
    studies = calibrated.studies
    trainings.take_up(asked.study, studies)
    tested = calibration.tested(asked)

    def draw(states: dict[str, str], history: pd.DataFrame, still: bool) -> None:
        if states["private"] == "done":
            train_comparison.note(asked.study.key)
        table = comparison.averaged(history)
        numbers(asked, calibrated, states, history, table)
        st.caption(caution(asked, comparison.compared(table, asked.metric), tested))
        _line(asked, calibrated, studies, states)
        _charts(asked, calibrated, table, still=still)
        st.caption(texts.NOT_PRIVATE)

    trainings.watch("beside", studies, asked.study, calibrated.records, draw)


def reached(table: pd.DataFrame, series: str = "private") -> int:
    """The last epoch that every run of the series has behind it."""
    rows = table[table["series"] == series]
    return int(rows["epoch"].max()) if len(rows) else 0


def _midway(calibrated: CalibratedTraining, table: pd.DataFrame) -> bool:
    """Whether the private training was stopped within the latest epoch."""
    rows = table[table["series"] == "private"]
    if not len(rows):
        return False
    return bool(rows["steps"].iloc[-1] % calibrated.config.steps_an_epoch(calibrated.records))


def _number(grid: GridContainer, label: str, value: str, note: str, help_text: str) -> None:
    with grid.cell(), st.container(gap=None):
        st.metric(label, value, help=help_text)
        st.caption(note)


def numbers(
    asked: TrainChoice,
    calibrated: CalibratedTraining,
    states: dict[str, str],
    history: pd.DataFrame,
    table: pd.DataFrame,
) -> None:
    """The line of big numbers."""
    column, epochs = asked.metric, asked.study.config.epochs
    at = reached(table)
    found = comparison.compared(table, column)
    untouched = trainings.untouched(asked.study, calibrated.records)
    grid = st.grid(5, min_column_width=150, gap="small")
    name = figures.METRICS[column]
    help_text = texts.AUC if column == "auc_test" else texts.ACCURACY
    label = f"{name[0].upper()}{name[1:]}"
    if untouched:
        _number(grid, label, "none", "nothing trained yet", help_text)
        _number(grid, "Lost to privacy", "none", "nothing trained yet", texts.LOST)
    elif found is None:
        _number(grid, label, "…", "comes as it trains", help_text)
        _number(grid, "Lost to privacy", "…", "against no privacy", texts.LOST)
    else:
        spread = (
            f"9 of 10 runs: {figures.shown(column)(found.low)} to "
            f"{figures.shown(column)(found.high)}"
            if found.runs > 1
            else "one run"
        )
        ended = at == epochs and not _midway(calibrated, table)
        when = "" if ended else f"epoch {at:,} of {epochs:,}; "
        _number(grid, label, figures.shown(column)(found.value), f"{when}{spread}", help_text)
        if found.reference is None:
            _number(grid, "Lost to privacy", "…", "the one without is not trained yet", texts.LOST)
        else:
            # A number with its unit would be cut off.
            value, _, unit = figures.lost(found.value, found.reference, column).partition(" ")
            beside = f"{figures.shown(column)(found.reference)} without privacy"
            note = f"{unit}; {beside}" if unit else beside
            _number(grid, "Lost to privacy", value, note, texts.LOST)
    _spent(
        grid,
        calibrated,
        history,
        states["private"],
        untouched=untouched,
        chosen_how=chosen_on(asked.study),
    )
    config = calibrated.config
    _number(
        grid,
        "Noise σ₀",
        plain(config.sigma),
        f"σ₀/C = {plain(config.sigma / config.clip)}",
        texts.SIGMA,
    )
    _time(asked, grid, history, untouched=untouched)


def caution(asked: TrainChoice, found: comparison.Compared | None, tested: tuple[int, ...]) -> str:
    """Why the private network may come out better, and how little few test records say."""
    if found is None or found.reference is None:
        return ""
    column, said = asked.metric, []
    if figures.lost(found.value, found.reference, column).startswith("+"):
        said.append(texts.BETTER)
    between = comparison.on_new_records(found.reference, column, tested)
    if between is not None:
        quality = Quality(AREA if column == "auc_test" else ACCURACY)
        rough = f"{figures.METRICS[column]} and difference"
        said.append(few_records(found.reference, between, sum(tested), quality, rough))
    return " ".join(filter(None, said))


def _spent(
    grid: GridContainer,
    calibrated: CalibratedTraining,
    history: pd.DataFrame,
    state: str,
    *,
    untouched: bool,
    chosen_how: str,
) -> None:
    """The certified ε: of the whole run, or of the steps before it was stopped."""
    held = calibrated.assurance.certified
    with grid.cell(), st.container(gap=None):
        if held.epsilon is None:
            st.metric("Certified ε", "none", help=f"{texts.SPENT} {held.reason}")
            badges.status(str(calibrated.assurance.status), held.reason)
            return
        rows = history[history["series"] == "private"]
        value, after = held.epsilon, ""
        if untouched:
            value = 0.0
            after = f"nothing trained yet; {at_most(held.epsilon)} for the whole run; "
        elif len(rows) and state == "cancelled":
            value = float(rows["epsilon"].max())
            after = f"stopped in epoch {int(rows['epoch'].max()):,}; "
        elif len(rows) and state == "done" and rows["epsilon"].max() < 0.99 * held.epsilon:
            # Public weights that are computed once, before training, allow a better bound.
            value = float(rows["epsilon"].max())
            after = f"with the weights as computed; {at_most(held.epsilon)} with any; "
        st.metric("Certified ε", at_most(value), help=f"{texts.SPENT} {badges.statement(held)}")
        st.caption(f"{after}δ = {plain(held.delta or 0.0)} · {held.adjacency} · {held.by}, if kept")
        if chosen_how:
            st.caption(chosen_how)


def _time(
    asked: TrainChoice, grid: GridContainer, history: pd.DataFrame, *, untouched: bool
) -> None:
    taken = comparison.seconds(history, "private")
    if taken is None:
        value, note = ("none", "nothing trained yet") if untouched else ("…", texts.NO_TIME)
        _number(grid, "Time", value, note, texts.TIME)
        return
    runs = asked.study.runs
    note = "one run" if runs == 1 else f"{runs:,} runs together"
    device = trainings.device(asked.study)
    where = f", on the {'GPU' if device.startswith('cuda') else 'CPU'}" if device else ""
    _number(grid, "Time", f"{plain(taken, 2)} s", note + where, texts.TIME)


def _line(
    asked: TrainChoice,
    calibrated: CalibratedTraining,
    studies: trainings.Studies,
    states: dict[str, str],
) -> None:
    """How far it is, with a button for what can be done now."""
    study = asked.study
    on = trainings.wanted(study, calibrated.records)
    with st.container(horizontal=True, vertical_alignment="center"):
        failed = [series for series, state in states.items() if state == "failed"]
        if all(state == "done" for state in states.values()):
            st.caption("Trained. A seed of its own gives another draw of the noise.")
            again = st.button(
                "Train again",
                key="train_again",
                icon=":material/refresh:",
                on_click=_next_seed,
                help="With the next seed.",
            )
            if again:
                st.rerun()
        elif failed:
            title = figures.SERIES[failed[0]].title
            message = trainings.progress(studies[failed[0]])[1]
            st.caption(f"{title[0].upper()}{title[1:]}: {message}")
            _start_button(_again(studies), study, studies)
        elif on:
            series = next((s for s, state in states.items() if state != "done"), "private")
            share, message = trainings.progress(studies[series])
            st.progress(share, text=f"Training, {figures.SERIES[series].title}: {message}")
            st.button(
                "Stop",
                key="train_stop",
                icon=":material/stop_circle:",
                on_click=trainings.stop,
                args=(study, studies),
            )
        elif "cancelled" in states.values():
            untouched = trainings.untouched(study, calibrated.records)
            learned = trainings.learned(study)
            shown = "Stopped. What was learned before is shown." if learned else "Stopped."
            st.caption(texts.UNTOUCHED if untouched else shown)
            _start_button(_again(studies), study, studies)
        elif jobs.Job(study.key).resumable:
            st.caption("Trained in part. What was learned before is shown.")
            _start_button("Go on", study, studies)
        else:
            here = images.availability(study.dataset) in ("built in", "local") or asked.uploaded
            st.caption(
                "Not trained yet: this takes longer than a few seconds, so it waits for you."
                + (f" {asked.entry.how_to_get}" if not here else "")
            )
            _start_button("Start training", study, studies)


def _again(studies: trainings.Studies) -> str:
    """What starting once more would do."""
    found = [jobs.find(one.key) for one in studies.values()]
    # One that was stopped here may go on for another page.
    on = any(job is not None and (job.resumable or job.state == "running") for job in found)
    return "Go on" if on else "Train again"


def _start_button(label: str, study: object, studies: trainings.Studies) -> None:
    begun = st.button(
        label,
        key="train_start",
        icon=":material/play_arrow:",
        on_click=trainings.start,
        args=("beside", study, studies),
    )
    if begun:
        st.rerun()


def _next_seed() -> None:
    put({"train_seed": (int(chosen("train_seed") or 0) + 1) % (MOST_SEED + 1)})


def _charts(
    asked: TrainChoice, calibrated: CalibratedTraining, table: pd.DataFrame, *, still: bool
) -> None:
    """Four charts, and their tables where these stay as they are."""
    column, epochs, dark = asked.metric, asked.study.config.epochs, on_dark()
    midway = _midway(calibrated, table)
    at = (reached(table) - midway) or None
    waits = texts.WAITS
    if trainings.untouched(asked.study, calibrated.records):
        at, waits = 0, texts.UNTOUCHED
    left, right = st.columns(2, border=True)
    for place, name in ((left, column), (right, "loss_train")):
        with place:
            st.subheader(figures.AXES[name], anchor=False, help=texts.LIVE)
            drawn = figures.learning(
                table, name, epochs=epochs, midway=midway, waits=waits, dark=dark
            )
            plot(drawn, f"train_{'loss' if name == 'loss_train' else 'metric'}")
            if still and name in table:
                said = ["series", "epoch", "steps", "runs", name, f"{name}_low", f"{name}_high"]
                table_behind(table[said], f"train_{name}", figures.AXES[name])
    for place, name, title, help_text in (
        (left, "sigma", "Noise, epoch by epoch", texts.SCHEDULE),
        (right, "epsilon", "ε spent, epoch by epoch", texts.SPENT),
    ):
        with place:
            st.subheader(title, anchor=False, help=help_text)
            epsilon_schedule = calibrated.epsilon_schedule
            drawn = figures.epsilon_schedule(
                epsilon_schedule, name, epochs=epochs, reached=at, dark=dark
            )
            plot(drawn, f"train_{name}")
            if still:
                table_behind(epsilon_schedule, f"train_{name}", title)
