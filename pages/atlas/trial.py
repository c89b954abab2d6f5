"""Put one promise on trial, live: claimed, proved and attacked ε, while outputs are drawn."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dpcore.audit.study import TrialStudy
from dpcore.controls.verify import (
    ATTACK,
    CONTROLS,
    EDITION,
    EPSILON,
    EPSILONS,
    METHOD,
    NOISE,
    SHARES,
    USUAL,
    titles,
)
from dpcore.errors import InvalidInput
from dpcore.questions.question import records_of, task
from dpcore.questions.told import command, snippet
from dpcore.questions.verify import figure
from dpcore.questions.verify.question import LiveTrial, ReplayQuestion, VerifyQuestion, usual_attack
from dpcore.questions.verify.words import SOUND, replay_sentence
from pages.shared import work
from pages.shared.display import on_dark, plot, table_behind
from pages.shared.verbatim import refuse, verbatim
from pages.shared.widgets import ControlForm

REPLAY = "replay"
MOMENT = 1.5  # seconds that the page waits: most trials take less


def draw() -> None:
    """Draw the controls of a trial, and the trial as it goes."""
    with st.container(border=True, key="trial"):
        try:
            study = _controls()
            live, replay = _live(study), _replay(study)
            _, waiting = work.answer_to(
                "trial", "Drawing outputs", study, live.go, wait=MOMENT, quick=True
            )
        except InvalidInput as refused:
            refuse(refused)
            return
        work.only(REPLAY, [replay.key])
        job = work.WatchedJobs(REPLAY, REPLAY, {"Replay": replay}, _submit, at_once=True)
        replays = [job] if study.edition == SOUND and job.drawn != "done" else []
        if not waiting:
            _show(live, is_last=True)
            work.watch(replays)
            return
        lines = work.watched(waiting, "trial")

        def redraw(is_last: bool) -> None:
            _show(live, is_last)
            for line in lines:
                work.show(line)

        work.watch(lines, redraw)
        work.watch(replays)


def _replay(study: TrialStudy) -> ReplayQuestion:
    """Ask what a replay shows; a worker does it, as a watch replaces functions of NumPy."""
    return ReplayQuestion(TrialStudy(study.method, study.edition, noise_share=study.noise_share))


def _submit(place: str, question: ReplayQuestion) -> None:
    work.submit(place, task(question))


def _controls() -> TrialStudy:
    form = ControlForm(CONTROLS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        form.draw(METHOD.key, NOISE.key)
        with st.popover("Settings", icon=":material/tune:"):
            form.draw(EPSILON.key, EDITION.key)
            values = form.values
            every = TrialStudy(
                method=values[METHOD.key],
                edition=values[EDITION.key],
                epsilon=EPSILONS[values[EPSILON.key]],
                noise_share=SHARES[values[NOISE.key]],
            )
            numbers = [str(number) for number in range(1, len(every.attacks) + 1)]
            number = form.draw(ATTACK.key, among=[USUAL, *numbers])
    if number == USUAL:
        return every if every.edition != SOUND else replace(every, attack=usual_attack(every))
    return replace(every, attack=int(number))


@st.cache_resource(max_entries=100, show_spinner=False)
def _live(study: TrialStudy) -> LiveTrial:
    return LiveTrial(study)


def _show(live: LiveTrial, is_last: bool) -> None:
    row, last = live.row, live.last
    if row is None or last is None:
        st.caption("The first outputs are drawn.")
        return
    left, right = st.columns([3, 2])
    with left:
        plot(
            figure.rising(live.bounds, row, titles()[live.study.method], live.most, dark=on_dark()),
            "trial_figure",
        )
        replay = _replay(live.study)
        if live.study.edition == SOUND and work.state(replay.key) == "done":
            (found,) = records_of(work.result(replay.key))
            st.markdown(verbatim(replay_sentence(found)))
        st.caption(live.which, help=verbatim(live.attack.about))
    with right:
        plot(figure.worlds(last.first, last.second, dark=on_dark()), "worlds_figure")
        plot(figure.roc(last, is_normal=live.attack.gaussian, dark=on_dark()), "roc_figure")
    if is_last:
        question = VerifyQuestion(live.study)
        table_behind(
            figure.table(live.bounds, row),
            "trial",
            "The lower bound after each look",
            lambda: (command(question), snippet(question)),
        )
