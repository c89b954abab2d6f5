"""Draw Train's answer while training and after: big numbers, progress, four charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.train import CONTROLS, MAX_SEED
from dpcore.datasets import images
from dpcore.evaluation.marks import ALL_BLANK
from dpcore.evaluation.training import measures
from dpcore.evaluation.training.study import TrainingStudy, stands
from dpcore.evaluation.training.variants import chosen_on
from dpcore.questions.comparison import figure as cost_figure
from dpcore.questions.comparison import words as cost_words
from dpcore.questions.training import before, figure
from dpcore.questions.training.series import AXES
from dpcore.words import at_most, capitalised, counted, plain, spaced
from pages.shared import badges, work
from pages.shared.display import Number, draw_numbers, on_dark, plot, show_conclusions, table_behind
from pages.shared.session import control_text, set_controls, store, stored
from pages.shared.work import State
from pages.train import calibration, trainings
from pages.train import comparison as train_comparison
from pages.train.calibration import CalibratedTraining
from pages.train.controls import DRAWN_ALONE, TrainChoice, paper_figures

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.delta_generator import DeltaGenerator

    from pages.shared.work import WatchedJobs

ASKED = (
    "The ε that is asked for, {adjacency}. The least noise for it is found by privacy loss "
    "distribution (PLD); what is certified for that noise stands below."
)
SPENT = "What an accountant certifies for exactly the noise that is added, over the whole run."
SIGMA = (
    "**Noise σ₀**: standard deviation of the noise on the *sum* of the batch's clipped gradients "
    "at the first step. Divided by C it is the noise multiplier."
)
LESS_FIRST_NOISE = (
    f"Fewer {CONTROLS['passes'].label.lower()} help, or “{CONTROLS['ratio'].label}” nearer to 1, "
    "which stands under “Expert”."
)
COMPUTING = "Computing …"
UNTOUCHED = "Stopped before its first step: nothing is trained yet, and nothing is spent."
FIRST_EPOCH = "waiting for the first epoch"
NOT_YET = "not trained yet"
CLIPPING_NOT_YET = "Waiting for the training with clipping alone."
MEASURED_ON_MADE_UP = "Every accuracy, AUC and loss on this page is measured on made-up records."
MEASURED = (
    "Every accuracy, AUC and loss on this page is measured on real records and is itself not "
    "private. ε counts what the trained network tells, not what this page shows."
)
TIME = "**Time**: what one job took for all its repetitions together, and where."
LIVE = (
    "Each line is the mean over repetitions, each a training of its own. Lines end where training "
    "is now. “Clipping only” and “no privacy” are not private."
)
UPLOADED = (
    "**Your records stay on this machine**: the file goes to the worker that trains and to no one "
    "else. Trained weights and the history are kept until you leave this page. What this page "
    "*shows* about them (accuracy, AUC, loss, why accuracy fell) is measured on them and is not "
    "private. Features must come from a network that has not seen these records."
)
ROOM = 2_400  # pixels, about as high as the answer


def purpose(choice: TrainChoice) -> None:
    """Show what is trained, in words."""
    config = choice.study.config
    st.caption(
        before.purpose(choice.study, choice.entry), help=ASKED.format(adjacency=config.adjacency)
    )
    if choice.made_up:
        st.info(choice.made_up, icon=":material/science:")
    if choice.uploaded is not None:
        if not choice.made_up:
            st.warning(UPLOADED, icon=":material/privacy_tip:")
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
    answer_place.caption(COMPUTING)
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

    timing = trainings.timing(choice.study, calibrated)
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
        table = measures.averaged(history)
        numbers(choice, calibrated, states, history, table)
        _warn_of_first_noise(calibrated)
        compared = cost_words.compared(table, choice.metric, ended=ended(states))
        is_finished = all(state == "done" for state in states.values())
        if not is_finished:
            work.show(jobs)
        if jobs.state() == "running":
            st.caption(trainings.time_left(choice.study, calibrated, history))
        _charts(choice, calibrated, table, compared, is_final=is_final)
        if is_finished:
            _show_finished()
            _judge_papers(choice.study, table)
        st.caption(cost_words.caution(compared, choice.metric, test_records))
        _noise_and_time(choice, calibrated, history)
        _more_charts(choice, calibrated, table, is_final=is_final)
        st.caption(MEASURED if not choice.made_up else MEASURED_ON_MADE_UP)

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
    column = choice.metric
    draw_numbers(
        (
            *cost_words.measured(
                None if untouched else cost_words.compared(table, column, ended=ended(states)),
                column,
                epochs=choice.study.config.epochs,
                reached=reached(table),
                midway=_midway(calibrated, table),
                nothing=("none", "nothing trained yet") if untouched else ("…", _first(states)),
            ),
            _epsilon(choice, calibrated, history, states["private"], untouched=untouched),
        ),
        across=3,
    )


def _warn_of_first_noise(calibrated: CalibratedTraining) -> None:
    constant = calibrated.configs.get("constant")
    # The σ of noise of another shape is of another unit.
    if constant is not None and constant.noise == calibrated.config.noise:
        warning = before.large_first_noise(calibrated.config.sigma, constant.sigma)
        if warning:
            st.warning(f"{warning} {LESS_FIRST_NOISE}", icon=":material/trending_down:")


def _noise_and_time(
    choice: TrainChoice, calibrated: CalibratedTraining, history: pd.DataFrame
) -> None:
    sigma, clip = calibrated.config.sigma, calibrated.config.clip
    noise = f"Noise σ₀ = {plain(sigma)}, σ₀/C = {plain(sigma / clip)}"
    parts = (noise, _time(choice, history))
    st.caption(" · ".join(filter(None, parts)), help=f"{SIGMA}\n\n{TIME}")


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
        return "Certified ε", "none", badge, f"{SPENT} {certified.reason}"
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

    return "Certified ε", at_most(value), note, f"{SPENT} {certified.statement}"


def _time(choice: TrainChoice, history: pd.DataFrame) -> str:
    seconds = measures.seconds(history, "private")
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
            return f"{trainings.time_to_take(calibrated, timing)}{how_to_get}"
        if trainings.is_untouched(study, calibrated.records):
            return UNTOUCHED
        has_learned = trainings.has_learned(study)
        return "Stopped. What was learned before is shown." if has_learned else "Stopped."

    return reason


def _next_seed() -> None:
    set_controls({"train_seed": (int(control_text("train_seed") or 0) + 1) % (MAX_SEED + 1)})


def _first(states: Mapping[str, str]) -> str:
    is_running = bool({"queued", "running"} & set(states.values()))
    return FIRST_EPOCH if is_running else NOT_YET


def _waits(choice: TrainChoice, calibrated: CalibratedTraining) -> str:
    if trainings.is_untouched(choice.study, calibrated.records):
        return UNTOUCHED
    if choice.uploaded is not None and choice.uploaded.all_blank:
        return ALL_BLANK
    first = _first(trainings.states(calibrated.studies))
    return f"{capitalised(first)}."


def _charts(
    choice: TrainChoice,
    calibrated: CalibratedTraining,
    table: pd.DataFrame,
    compared: cost_words.Compared | None,
    *,
    is_final: bool,
) -> None:
    waits, column = _waits(choice, calibrated), choice.metric
    left, right = st.columns([3, 2], border=True)
    with left:
        _learning(choice, calibrated, table, column, is_final=is_final)
    with right:
        st.subheader("What privacy costs", anchor=False, help=cost_words.LOST)
        if compared is not None:
            waits = CLIPPING_NOT_YET if compared.clipped is None else ""
        plot(cost_figure.cost(compared, column, waits=waits, dark=on_dark()), "train_cost")
        cost = cost_words.parted(compared, column)
        if is_final and cost:
            status = stands(calibrated.assurance.status, system_entropy=False)
            costs = cost_figure.cost_table(cost, column, str(status))
            table_behind(costs, "train_cost", "What clipping and noise cost")


def _learning(
    choice: TrainChoice,
    calibrated: CalibratedTraining,
    table: pd.DataFrame,
    column: str,
    *,
    is_final: bool,
) -> None:
    st.subheader(AXES[column], anchor=False, help=LIVE)
    chart = figure.learning(
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
        table_behind(table[[*columns, "status"]], f"train_{column}", AXES[column])


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
        st.subheader(title, anchor=False, help=SPENT)
        schedule = calibrated.epsilon_schedule
        epochs = choice.study.config.epochs
        chart = figure.epsilon_schedule(
            schedule, "epsilon", epochs=epochs, reached=reached_epoch, dark=on_dark()
        )
        plot(chart, "train_epsilon")
        if is_final:
            table_behind(schedule, "train_epsilon", title)


def _judge_papers(study: TrainingStudy, table: pd.DataFrame) -> None:
    for paper in paper_figures(by_effect=False):
        from dpcore.reproduction import drawn

        judged = drawn.of_training(paper, study, measures.ends(table))
        show_conclusions(judged, DRAWN_ALONE)
