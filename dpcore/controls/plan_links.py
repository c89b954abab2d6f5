"""Links to Plan from before it had an account, in today's settings.

Such a link names no question and left out what was the default then: an experiment of paper 003,
beside the paper's formula. Its calendar of releases is an account now.
"""

from __future__ import annotations

from dpcore.accounting.account_text import from_calendar, to_link
from dpcore.accounting.presets import PRESETS
from dpcore.controls import common
from dpcore.controls.account import BUDGET, ENTRIES, QUESTION, YEAR_DELTA, YEAR_NEIGHBOUR
from dpcore.controls.link import Link
from dpcore.controls.plan import CONTROLS, DELTA_STOPS, DETAIL, PAPER, VIEW, values
from dpcore.errors import number
from dpcore.guarantee import PrivacyBudget

CALENDAR, CALENDAR_VIEW = "calendar", "Release calendar"
_CALENDAR = (CALENDAR, "budget", "noise", "composition", "release_sensitivity")
_FORMER_DEFAULTS = {
    key: str(CONTROLS[key].text(value))
    for key, value in values(PRESETS["chexpert"].training).items()
    if value != CONTROLS[key].default
}
_COMPOSITIONS = {"PLD (exact)": "pld", "zCDP": "zcdp", "Basic": "basic"}
_TYPED = "As I type it"
_OLD = {*(control.key for control in (*CONTROLS, *DETAIL)), *_CALENDAR} - {PAPER.key}


def is_former(link: Link) -> bool:
    """Whether a link is from before Plan asked a question first."""
    return QUESTION.key not in link and bool(_OLD & set(link))


def today(link: Link, year: int) -> dict[str, list[str]]:
    """The link in today's settings.

    Parameters
    ----------
    link : mapping
        Name to all its values; `is_former`.
    year : int
        Of the calendar that stood there at first: one release a quarter.

    Raises
    ------
    InvalidInput
        If its calendar can't be followed.
    """
    is_calendar = link.get(VIEW.key, [""])[-1] == CALENDAR_VIEW
    settings = {name: list(texts) for name, texts in link.items() if name not in _CALENDAR}
    if is_calendar:
        settings = {name: texts for name, texts in settings.items() if name not in _OLD}
    else:
        defaults = {name: [text] for name, text in _FORMER_DEFAULTS.items() if name not in link}
        settings |= defaults | {QUESTION.key: [str(QUESTION.text("run"))], PAPER.key: ["true"]}
    if is_calendar or CALENDAR in link:
        settings |= _account(link, year)
    return settings


def _account(link: Link, year: int) -> dict[str, list[str]]:
    """The calendar as an account: its releases, their noise, and what they may spend."""
    last = {name: texts[-1] for name, texts in link.items() if texts}
    budget_text = last.get("budget", "3")
    delta_text = last.get("plan_delta", _FORMER_DEFAULTS["plan_delta"])
    deltas = {DELTA_STOPS.shown(delta): delta for delta in common.DELTAS}
    delta = deltas.get(delta_text, PRESETS["chexpert"].training.delta)
    entries = from_calendar(
        last.get(CALENDAR) or _quarters(year),
        PrivacyBudget(number("budget", budget_text, at_least=0.001, at_most=100.0), delta),
        _COMPOSITIONS.get(last.get("composition", ""), "pld"),
        number("sensitivity Δ", last.get("release_sensitivity", "1")),
        typed_noise=last.get("noise") == _TYPED,
    )
    neighbour = CONTROLS["neighbour"]
    settings = {ENTRIES: to_link(entries), YEAR_DELTA.key: DELTA_STOPS.shown(delta)}
    if float(budget_text) != float(BUDGET.default):
        settings[BUDGET.key] = budget_text
    if last.get(neighbour.key) in neighbour.kind.texts():  # type: ignore[union-attr]
        settings[YEAR_NEIGHBOUR.key] = last[neighbour.key]
    return {name: [text] for name, text in settings.items()}


def _quarters(year: int) -> str:
    ends = ("03-31", "06-30", "09-30", "12-31")
    return ";".join(
        f"{year}-{day}~Quarter {quarter}~1~" for quarter, day in enumerate(ends, start=1)
    )
