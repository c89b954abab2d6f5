"""Say what each of the five steps is about and how far it is, and draw its texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from dpcore.controls.control import Control, Text
from dpcore.controls.release import CONTROLS
from dpcore.datasets.own.description import restated
from pages.shared import address
from pages.shared.own_table import COLUMNS
from pages.shared.session import set_controls, store, stored

LOOK_YET = "rehearse, or look at made-up records"
FIRST_COMES_FIRST, READ_FIRST = "step 1 comes first", "the table is not read yet"
State = Literal["done", "to do", "optional", "not possible yet"]
TITLES = ("Table", "What one person is", "Look", "Budget", "Release")
ICONS: dict[State, str] = {
    "done": ":material/check_circle:",
    "to do": ":material/radio_button_unchecked:",
    "optional": ":material/radio_button_unchecked:",
    "not possible yet": ":material/block:",
}


@dataclass(frozen=True)
class ReleaseStep:
    """Say in Markdown how far one step is; one that `stays_open` has something to take along."""

    state: State
    line: str
    stays_open: bool = False

    @property
    def needs_nothing(self) -> bool:
        """Whether nothing has to be done: it is done, or may be left out."""
        return self.state in ("done", "optional")

    def label(self, number: int) -> str:
        """The step's line, numbered from 1."""
        return f"**{number} {TITLES[number - 1]}** · {self.state}: {self.line}"


FIRST = (
    ReleaseStep("done", "3 000 made-up patients"),
    ReleaseStep("done", "one row is one person; one record blanked out"),
    ReleaseStep("optional", LOOK_YET),
    ReleaseStep("done", "ε = 1 of the 3 left (δ = 10⁻⁵, zero-out, Gaussian DP)"),
    ReleaseStep("to do", "press the button"),
)
"""How far they are on a first visit; where a visit begins otherwise, it is drawn once more."""


def current(steps: Sequence[ReleaseStep]) -> int:
    """Number of the first step that needs something, else of the last one."""
    return next(
        (number for number, step in enumerate(steps, 1) if not step.needs_nothing), len(steps)
    )


def last(before: Sequence[ReleaseStep], busy: str, released: str) -> ReleaseStep:
    """Return the step Release, after the others, with what is under way and what was released."""
    if busy:
        return ReleaseStep("to do", busy)
    opened = [number for number, step in enumerate(before, 1) if not step.needs_nothing]
    if opened:
        return ReleaseStep("not possible yet", f"step {opened[0]} comes first")
    return ReleaseStep("done", released) if released else ReleaseStep("to do", "press the button")


def validate_link() -> str:
    """Check the link; returns all its refusals as one message."""
    _leave_persons_open()
    return address.validate_link(CONTROLS, others={COLUMNS: None})


def _leave_persons_open() -> None:
    """Drop what a link says of persons: each session says in step 2 what one person is.

    Whoever sends a link to a table with several rows a person could else have them protected row
    by row.
    """
    # On Explore, which asks nobody what one person is, it may have come by a link as well.
    if elsewhere := stored(COLUMNS):
        elsewhere = restated(elsewhere, None)
        store(COLUMNS, elsewhere)
        set_controls({COLUMNS: elsewhere})
    linked = st.query_params.get(COLUMNS, "")
    unsaid = restated(linked, None)
    if unsaid != linked:
        st.query_params[COLUMNS] = unsaid
        st.rerun()  # controls begin with what the address holds at a run's start


def text(
    control: Control, first: str, place: str, width: int | Literal["stretch"] = "stretch"
) -> str:
    """Draw a text that no address holds, and that is still there when its reader comes back."""
    assert isinstance(control.kind, Text)
    value = st.text_input(
        control.label,
        first,
        max_chars=control.kind.most,
        help=control.help or None,
        key=f"{control.key}_{place}",
        persist_state="session",
        width=width,
    )
    return (value or "").strip()
