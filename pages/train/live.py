"""Train's answer while it trains and after: big numbers, how far it is, four charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.train import MOST_SEED
from dpcore.datasets import images
from dpcore.evaluation import comparison
from dpcore.evaluation.scoring import ACCURACY, AREA
from dpcore.evaluation.tuned_configs import chosen_on
from dpcore.figures import training as figures
from dpcore.figures.quality import Quality
from dpcore.figures.verdict import few_records
from dpcore.figures.words import at_most, counted, plain
from pages.shared import badges, job_panel, view_link
from pages.shared.charts import on_dark, plot, table_behind
from pages.shared.job_panel import State
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
        view_link.link()


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

    watched = trainings.watched(
        "train",
        asked.study,
        studies,
        calibrated.records,
        idle=lambda state: _idle(asked, calibrated, state),
        begin="Start training",
    )

    def draw(still: bool) -> None:
        states, history = trainings.states(studies), trainings.histories(studies)
        if states["private"] == "done":
            train_comparison.note(asked.study.key)
        table = comparison.averaged(history)
        numbers(asked, calibrated, states, history, table)
        st.caption(caution(asked, comparison.compared(table, asked.metric), tested))
        if all(state == "done" for state in states.values()):
            _trained()
        else:
            job_panel.show(watched)
        _charts(asked, calibrated, table, still=still)
        st.caption(texts.NOT_PRIVATE)

    job_panel.watch([watched], draw)


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


def _trained() -> None:
    """That it has ended, and a way to another."""
    with st.container(horizontal=True, vertical_alignment="center"):
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


def _idle(asked: TrainChoice, calibrated: CalibratedTraining, state: State) -> str:
    """Why it is not trained."""
    if state == "new":
        here = images.availability(asked.study.dataset) in ("built in", "local") or asked.uploaded
        waits = "Not trained yet: this takes longer than a few seconds, so it waits for you."
        return waits if here else f"{waits} {asked.entry.how_to_get}"
    if trainings.untouched(asked.study, calibrated.records):
        return texts.UNTOUCHED
    learned = trainings.learned(asked.study)
    return "Stopped. What was learned before is shown." if learned else "Stopped."


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
