"""Draw one's own claim: the numbers of a paper, a library's state, or a file of outputs."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dpcore.accounting.elsewhere import StatementStudy
from dpcore.accounting.risk import RIGHT_GUESSES
from dpcore.audit.claim import read_worlds, try_outputs
from dpcore.controls.options import exactly
from dpcore.controls.statement import (
    CLAIMED,
    CONTROLS,
    DELTA,
    DISTANCE,
    DIVISION,
    HISTORY,
    NEIGHBOURS,
    NORMAL,
    SAMPLER,
)
from dpcore.errors import InvalidInput
from dpcore.figures.escape import literal
from dpcore.guarantee import Adjacency
from dpcore.questions.outputs import words as of_outputs
from dpcore.questions.question import ask, records_of
from dpcore.questions.statement.question import (
    STANDS,
    TOO_LOW,
    UNCLAIMED,
    StatementQuestion,
    read_as,
    sentence,
)
from dpcore.questions.told import command, snippet
from dpcore.questions.verify import figure
from dpcore.words import as_set, at_most, plain
from pages.shared import uploads, work
from pages.shared.display import draw_numbers, on_dark, plot, table_behind
from pages.shared.session import set_controls, store, stored
from pages.shared.uploads import File
from pages.shared.verbatim import refuse, verbatim
from pages.shared.widgets import ControlForm

COLOURS = {STANDS: "green", UNCLAIMED: "green", TOO_LOW: "red", "refuted": "red"}
FILE_HELP = (
    "An Opacus accountant's `state_dict()`, or an OpenDP measurement (JSON). Or outputs in the "
    "order drawn: a table (CSV) of the columns world, of two values, and score."
)
EXAMPLES = (
    '{"history": [[1.1, 0.01, 1000]], "mechanism": "rdp"}',
    "world,score\nin,1.52\nout,-0.31",
)
"""A state of Opacus, and outputs."""
READ = "own file read"


def draw() -> None:
    """Draw the form, and how the claim stands."""
    form = ControlForm(CONTROLS)
    above, below = st.container(), st.container(horizontal=True, vertical_alignment="bottom")
    with below:
        drawn_first = st.container(width="stretch")
        settings = st.popover("Settings", icon=":material/tune:")
        with st.popover("A file", icon=":material/upload_file:"):
            file = uploads.field("From elsewhere", "own_file", type=["json", "csv"], help=FILE_HELP)
            for example in EXAMPLES:
                st.code(example, language=None, wrap_lines=True)
    outputs = file if file is not None and file.name.lower().endswith(".csv") else None
    with settings:
        form.draw(DELTA.key)
        if outputs is None:
            form.draw(DIVISION.key, NEIGHBOURS.key, DISTANCE.key)
    refusal = None
    if file is not None and outputs is None:
        try:
            _take_over(file, form.values[DISTANCE.key])
        except InvalidInput as refused:
            refusal = refused
    with above, st.container(horizontal=True, vertical_alignment="bottom"):
        if outputs is None:
            form.draw(HISTORY.key)
        form.draw(CLAIMED.key, width=140)
    with drawn_first:
        form.draw(SAMPLER.key if outputs is None else NORMAL.key)
    try:
        if refusal is not None:
            raise refusal
        if outputs is None:
            _statement(form.values)
        else:
            _outputs(outputs, form.values)
    except InvalidInput as refused:
        refuse(refused)


def _text(file: File) -> str:
    try:
        return file.getvalue().decode()
    except UnicodeDecodeError:
        raise InvalidInput("The file is no text, but it must be (UTF-8).") from None


def _take_over(file: File, distance: float | None) -> None:
    """Put what a file states in the place of the steps, once for each distance."""
    if stored(READ) != (file.file_id, distance):
        set_controls({HISTORY.key: StatementStudy(_text(file), distance).history})
        store(READ, (file.file_id, distance))


def _statement(values: dict[str, Any]) -> None:
    study = StatementStudy(values[HISTORY.key], values[DISTANCE.key])
    question = StatementQuestion(
        study,
        claimed=values[CLAIMED.key],
        delta=values[DELTA.key],
        sampler=values[SAMPLER.key],
        division=values[DIVISION.key],
        adjacency=values[NEIGHBOURS.key],
    )
    rows, waiting = work.answer_to(
        "own claim",
        "Accounting",
        question.key,
        lambda progress: ask(question, progress=progress),
        quick=True,
    )
    if rows is not None:
        (row,) = records_of(rows)
        with st.container(border=True, key="own_verdict"):
            _verdict(row["verdict"], sentence(row))
            st.caption(verbatim(read_as(study.steps)))
            _numbers(row)
            table_behind(
                rows,
                "statement",
                "What is claimed and what is proved",
                lambda: (command(question), snippet(question)),
            )
    work.watch(work.watched(waiting))


def _verdict(verdict: str, words: str) -> None:
    st.markdown(f":{COLOURS.get(verdict, 'orange')}-badge[{verdict}]  \n{verbatim(words)}")


def _numbers(row: dict[str, Any]) -> None:
    at = f"δ = {plain(row['delta'])}, {row['adjacency']}"
    claimed, proved, mu, right = (row[name] for name in ("claimed", "proved", "mu", "right"))
    draw_numbers(
        [
            ("Claimed ε", "–" if claimed is None else as_set(claimed), at, ""),
            (
                "Proved ε",
                "none" if proved is None else at_most(proved),
                at,
                f"{Adjacency(row['adjacency']).meaning} {row['proved_by']}",
            ),
            (
                "μ",
                "–" if mu is None else at_most(mu),
                "Gaussian DP",
                "Where both errors of an attack are at least δ.",
            ),
            (
                RIGHT_GUESSES,
                "no bound" if right is None else f"{right} of 100",
                "at most; 50 by guessing",
                "Of 100 people who guess whether somebody is in the data, how many are right.",
            ),
        ],
        4,
    )


def _outputs(file: File, values: dict[str, Any]) -> None:
    worlds = uploads.cached_in_session(f"worlds {file.file_id}", lambda: read_worlds(_text(file)))
    first, second = worlds.values()
    claimed, delta, is_normal = (values[each.key] for each in (CLAIMED, DELTA, NORMAL))
    if claimed is None:
        raise InvalidInput(
            "Claimed ε is empty, but it must be typed, to be tried by these outputs."
        )
    trial = uploads.cached_in_session(
        f"trial {file.file_id} {claimed!r} {delta!r} {is_normal}",
        lambda: try_outputs(first, second, claim=(claimed, delta), is_normal=is_normal),
    )
    with st.container(border=True, key="own_verdict"):
        _verdict(trial.verdict, of_outputs.sentence(trial))
        names = [f"of “{literal(name)}”" for name in worlds]
        plot(figure.worlds(first, second, names, dark=on_dark()), "own_worlds")
        line = f"--epsilon {exactly(claimed)} --delta {exactly(delta)}"
        line += " --normal" if is_normal else ""
        table_behind(
            pd.DataFrame([trial.row]),
            "own_outputs",
            "The trial of these outputs",
            lambda: (f"python -m dpcore outputs --file outputs.csv {line}", ""),
        )
