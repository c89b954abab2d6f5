"""Draw Train's answer while training and after: big numbers, progress, four charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.train import MAX_SEED
from dpcore.datasets import images
from dpcore.evaluation import comparison
from dpcore.evaluation.marks import ALL_BLANK
from dpcore.evaluation.scoring import ACCURACY, AREA
from dpcore.evaluation.training.spending import stands
from dpcore.evaluation.tuned_configs import chosen_on
from dpcore.figures import training as figures
from dpcore.figures.bands import band
from dpcore.figures.quality import Quality
from dpcore.figures.verdict import few_records
from dpcore.words import at_most, capitalised, counted, plain, spaced
from pages.shared import badges, work
from pages.shared.charts import on_dark, plot, table_behind
from pages.shared.numbers import Number, draw_numbers
from pages.shared.session import control_text, set_controls, store, stored
from pages.shared.work import State
from pages.train import calibration, duration, paper_figure, texts, trainings
from pages.train import comparison as train_comparison
from pages.train.calibration import CalibratedTraining
from pages.train.controls import TrainChoice

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.delta_generator import DeltaGenerator

    from pages.shared.work import WatchedJobs

ROOM = 2_400  # pixels, about as high as the answer


def purpose(choice: TrainChoice) -> None:
    """Show what is trained, in words."""
    config, entry = choice.study.config, choice.entry
    layers = " × ".join(spaced(width) for width in config.widths)
    network = {
        "linear": "linear network",
        "perceptron": f"perceptron with {layers} hidden units",
        "cnn": "convolutional network",
        "cnn-lean": "lean convolutional network",
    }[config.network]
    inputs_text = {"raw": "", "deskewed": " on images set upright"}.get(
        choice.study.features, " on scattering features"
    )
    st.caption(
        f"{entry.title}: {entry.purpose} {capitalised(network)}{inputs_text}, "
        f"{counted(config.epochs, 'epoch')}, ε = {plain(choice.study.epsilon or 0.0)}, "
        f"δ = {plain(config.delta)}.",
        help=texts.ASKED.format(adjacency=config.adjacency),
    )
    if choice.made_up:
        st.info(choice.made_up, icon=":material/science:")
    if choice.uploaded is not None:
        if not choice.made_up:
            st.warning(texts.UPLOADED, icon=":material/privacy_tip:")
        if choice.uploaded.all_blank:
            st.caption(f":material/info: {ALL_BLANK}")


@contextmanager
def place(key: str) -> Iterator[Callable[[], DeltaGenerator]]:
    """Make the place of the answer; an answer for settings of another key is removed at once."""
    if stored("train shown") == key:
        yield st.container
        st.empty()
        return
    store("train shown", key)
    trainings.leave_all()
    answer_place, spacer = st.empty(), st.empty()
    answer_place.caption(texts.COMPUTING)
    # A page that becomes short would jump to its top.
    spacer.space(ROOM)
    yield answer_place.container
    spacer.empty()


def show(choice: TrainChoice, calibrated: CalibratedTraining) -> None:
    """Draw all that changes while training runs."""
    studies = calibrated.studies
    trainings.mark_started(choice.study, studies)
    train_comparison.remember(choice.study.key)
    test_records = calibration.tested(choice)

    timing = duration.watched(choice.study, calibrated)
    jobs = trainings.watched(
        "train",
        choice.study,
        studies,
        calibrated.records,
        idle=_idle(choice, calibrated, timing[0] if timing else None),
        begin="Start",
    )

    def draw(is_final: bool) -> None:
        states, history = trainings.states(studies), trainings.histories(studies)
        if states["private"] == "done":
            train_comparison.note(choice.study.key)
        table = comparison.averaged(history)
        numbers(choice, calibrated, states, history, table)
        _warn_of_first_noise(calibrated)
        compared = comparison.compared(table, choice.metric, ended=ended(states))
        is_finished = all(state == "done" for state in states.values())
        if not is_finished:
            work.show(jobs)
        if jobs.state() == "running":
            st.caption(duration.left(choice.study, calibrated, history))
        _charts(choice, calibrated, table, compared, is_final=is_final)
        if is_finished:
            _show_finished()
            paper_figure.of_training(choice.study, table)
        st.caption(caution(choice, compared, test_records))
        _noise_and_time(choice, calibrated, history)
        _more_charts(choice, calibrated, table, is_final=is_final)
        st.caption(texts.MEASURED if not choice.made_up else texts.MEASURED_ON_MADE_UP)

    work.watch([jobs, *timing], draw=draw)


def ended(states: Mapping[str, str]) -> list[str]:
    """List the series whose training has ended."""
    return [series for series, state in states.items() if state == "done"]


def reached(table: pd.DataFrame, series: str = "private") -> int:
    """The last epoch that every run of the series has finished."""
    rows = table[table["series"] == series]
    return int(rows["epoch"].max()) if len(rows) else 0


def _midway(calibrated: CalibratedTraining, table: pd.DataFrame) -> bool:
    rows = table[table["series"] == "private"]
    if not len(rows):
        return False
    return bool(rows["steps"].iloc[-1] % calibrated.config.steps_an_epoch(calibrated.records))


def numbers(
    choice: TrainChoice,
    calibrated: CalibratedTraining,
    states: dict[str, str],
    history: pd.DataFrame,
    table: pd.DataFrame,
) -> None:
    """Draw the line of big numbers."""
    untouched = trainings.is_untouched(choice.study, calibrated.records)
    draw_numbers(
        (
            *_measured(choice, calibrated, table, states, untouched=untouched),
            _epsilon(choice, calibrated, history, states["private"], untouched=untouched),
        ),
        across=3,
    )


def _warn_of_first_noise(calibrated: CalibratedTraining) -> None:
    constant = calibrated.configs.get("constant")
    # The σ of noise of another shape is of another unit.
    if constant is not None and constant.noise == calibrated.config.noise:
        warning = figures.large_first_noise(calibrated.config.sigma, constant.sigma)
        if warning:
            st.warning(f"{warning} {texts.LESS_FIRST_NOISE}", icon=":material/trending_down:")


def _noise_and_time(
    choice: TrainChoice, calibrated: CalibratedTraining, history: pd.DataFrame
) -> None:
    sigma, clip = calibrated.config.sigma, calibrated.config.clip
    noise = f"Noise σ₀ = {plain(sigma)}, σ₀/C = {plain(sigma / clip)}"
    parts = (noise, _time(choice, history))
    st.caption(" · ".join(filter(None, parts)), help=f"{texts.SIGMA}\n\n{texts.TIME}")


def _measured(
    choice: TrainChoice,
    calibrated: CalibratedTraining,
    table: pd.DataFrame,
    states: Mapping[str, str],
    *,
    untouched: bool,
) -> tuple[Number, Number]:
    column, epochs, last = choice.metric, choice.study.config.epochs, reached(table)
    compared = comparison.compared(table, column, ended=ended(states))
    shown = figures.shown(column)
    name = figures.METRICS[column]
    label, lost = capitalised(name), "Lost to privacy"
    meaning = texts.AUC if column == "auc_test" else texts.ACCURACY
    if untouched:
        nothing = "nothing trained yet"
        return (label, "none", nothing, meaning), (lost, "none", nothing, texts.LOST)
    if compared is None:
        return (
            (label, "…", _first(states), meaning),
            (lost, "…", _first(states), texts.LOST),
        )
    spread = "one repetition"
    if compared.runs > 1:
        ends = band(compared.runs, figures.REPETITION)
        spread = f"{ends}: {shown(compared.low)} to {shown(compared.high)}"
    # Both numbers are of one epoch: while the one without privacy is behind, of its last.
    epoch = compared.epoch or last
    is_complete = epoch == epochs and not _midway(calibrated, table)
    epoch_note = "" if is_complete else f"epoch {spaced(epoch)} of {spaced(epochs)}; "
    measured = (label, shown(compared.value), f"{epoch_note}{spread}", meaning)
    if compared.reference is None:
        return measured, (lost, "…", "the one without is not there yet", texts.LOST)
    # A number with its unit would be cut off.
    value, _, unit = figures.lost(compared.value, compared.reference, column).partition(" ")
    cost = figures.parted(compared, column)
    amount = ": ".join(filter(None, (unit, figures.in_words(cost) if cost else "")))
    note = "; ".join(filter(None, (amount, f"{shown(compared.reference)} without privacy")))
    if compared.epoch is not None:
        note += f", both after epoch {spaced(compared.epoch)}"
    return measured, (lost, value, note, texts.LOST)


def caution(
    choice: TrainChoice, compared: comparison.Compared | None, test_records: tuple[int, ...]
) -> str:
    """Say why the private network may seem better, and how rough a small test set is."""
    if compared is None or compared.reference is None:
        return ""
    column, sentences = choice.metric, []
    if figures.lost(compared.value, compared.reference, column).startswith("+"):
        sentences.append(texts.BETTER)
    spread = comparison.on_new_records(compared.reference, column, test_records)
    if spread is not None:
        quality = Quality(AREA if column == "auc_test" else ACCURACY)
        sentences.append(few_records(compared.reference, spread, sum(test_records), quality))
    return " ".join(filter(None, sentences))


def _epsilon(
    choice: TrainChoice,
    calibrated: CalibratedTraining,
    history: pd.DataFrame,
    state: str,
    *,
    untouched: bool,
) -> Number:
    certified = calibrated.assurance.certified
    if certified.epsilon is None:
        badge = partial(badges.status, str(calibrated.assurance.status), certified.reason)
        return "Certified ε", "none", badge, f"{texts.SPENT} {certified.reason}"
    rows = history[history["series"] == "private"]
    value, prefix = certified.epsilon, ""
    if untouched:
        value = 0.0
        prefix = f"nothing trained yet; {at_most(certified.epsilon)} for the whole run; "
    elif len(rows) and state == "cancelled":
        value = float(rows["epsilon"].max())
        prefix = f"stopped in epoch {spaced(int(rows['epoch'].max()))}; "
    elif len(rows) and state == "done" and rows["epsilon"].max() < 0.99 * certified.epsilon:
        # Public weights computed once before training allow a better bound.
        value = float(rows["epsilon"].max())
        prefix = f"with the weights as computed; {at_most(certified.epsilon)} with any; "

    def note() -> None:
        st.caption(
            f"{prefix}δ = {plain(certified.delta or 0.0)} · {certified.adjacency} · "
            f"{certified.by}, if kept"
        )
        if chosen_how := chosen_on(choice.study):
            st.caption(chosen_how)

    return "Certified ε", at_most(value), note, f"{texts.SPENT} {badges.statement(certified)}"


def _time(choice: TrainChoice, history: pd.DataFrame) -> str:
    seconds = comparison.seconds(history, "private")
    if seconds is None:
        return ""
    device = trainings.device(choice.study)
    device_note = f" on the {'GPU' if device.startswith('cuda') else 'CPU'}" if device else ""
    return f"{counted(choice.study.runs, 'repetition')} in {plain(seconds, 2)} s{device_note}"


def _show_finished() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("Trained. Change the seed for new noise.")
        clicked = st.button(
            "Train again",
            key="train_again",
            icon=":material/refresh:",
            on_click=_next_seed,
            help="With the next seed.",
        )
        if clicked:
            st.rerun()


def _idle(
    choice: TrainChoice, calibrated: CalibratedTraining, timing: WatchedJobs | None
) -> Callable[[State], str]:
    """Why it is not training, by state.

    Buttons outlive the session in Streamlit, so what they call holds nothing of an uploaded file.
    """
    study = choice.study
    is_available = images.availability(study.dataset) in ("built in", "local") or choice.uploaded
    how_to_get = "" if is_available else f" {choice.entry.how_to_get}"

    def reason(state: State) -> str:
        if state == "new":
            return f"{duration.in_words(calibrated, timing)}{how_to_get}"
        if trainings.is_untouched(study, calibrated.records):
            return texts.UNTOUCHED
        has_learned = trainings.has_learned(study)
        return "Stopped. What was learned before is shown." if has_learned else "Stopped."

    return reason


def _next_seed() -> None:
    set_controls({"train_seed": (int(control_text("train_seed") or 0) + 1) % (MAX_SEED + 1)})


def _first(states: Mapping[str, str]) -> str:
    is_running = bool({"queued", "running"} & set(states.values()))
    return texts.FIRST_EPOCH if is_running else texts.NOT_YET


def _waits(choice: TrainChoice, calibrated: CalibratedTraining) -> str:
    if trainings.is_untouched(choice.study, calibrated.records):
        return texts.UNTOUCHED
    if choice.uploaded is not None and choice.uploaded.all_blank:
        return ALL_BLANK
    first = _first(trainings.states(calibrated.studies))
    return f"{capitalised(first)}."


def _charts(
    choice: TrainChoice,
    calibrated: CalibratedTraining,
    table: pd.DataFrame,
    compared: comparison.Compared | None,
    *,
    is_final: bool,
) -> None:
    waits, column = _waits(choice, calibrated), choice.metric
    left, right = st.columns([3, 2], border=True)
    with left:
        _learning(choice, calibrated, table, column, is_final=is_final)
    with right:
        st.subheader("What privacy costs", anchor=False, help=texts.LOST)
        if compared is not None:
            waits = texts.CLIPPING_NOT_YET if compared.clipped is None else ""
        plot(figures.cost(compared, column, waits=waits, dark=on_dark()), "train_cost")
        cost = figures.parted(compared, column)
        if is_final and cost:
            status = stands(calibrated.assurance.status, system_entropy=False)
            costs = figures.cost_table(cost, column, str(status))
            table_behind(costs, "train_cost", "What clipping and noise cost")


def _learning(
    choice: TrainChoice,
    calibrated: CalibratedTraining,
    table: pd.DataFrame,
    column: str,
    *,
    is_final: bool,
) -> None:
    st.subheader(figures.AXES[column], anchor=False, help=texts.LIVE)
    chart = figures.learning(
        table,
        column,
        epochs=choice.study.config.epochs,
        midway=_midway(calibrated, table),
        waits=_waits(choice, calibrated),
        dark=on_dark(),
    )
    plot(chart, f"train_{'loss' if column == 'loss_train' else 'metric'}")
    if is_final and column in table:
        columns = ["series", "epoch", "steps", "runs", column, f"{column}_low", f"{column}_high"]
        table_behind(table[[*columns, "status"]], f"train_{column}", figures.AXES[column])


def _more_charts(
    choice: TrainChoice, calibrated: CalibratedTraining, table: pd.DataFrame, *, is_final: bool
) -> None:
    reached_epoch = (reached(table) - _midway(calibrated, table)) or None
    if trainings.is_untouched(choice.study, calibrated.records):
        reached_epoch = 0
    left, right = st.columns(2, border=True)
    with left:
        _learning(choice, calibrated, table, "loss_train", is_final=is_final)
    with right:
        title = "ε spent, epoch by epoch"
        st.subheader(title, anchor=False, help=texts.SPENT)
        schedule = calibrated.epsilon_schedule
        epochs = choice.study.config.epochs
        chart = figures.epsilon_schedule(
            schedule, "epsilon", epochs=epochs, reached=reached_epoch, dark=on_dark()
        )
        plot(chart, "train_epsilon")
        if is_final:
            table_behind(schedule, "train_epsilon", title)
