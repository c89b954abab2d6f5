"""Say what each of the five steps is about, and how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pages.release import texts

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
    ReleaseStep("optional", texts.LOOK_YET),
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
