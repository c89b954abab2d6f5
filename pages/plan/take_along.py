"""Offer the run as code, to copy."""

from __future__ import annotations

from dpcore.controls.plan import SOLVED
from dpcore.export.plan import command, plan_command, snippet
from pages.plan.answer import CERTIFIED, FAST, Answer, covered
from pages.plan.controls import target
from pages.shared.code import show_command, show_opacus, show_python
from pages.shared.session import control_text


def show(answer: Answer) -> None:
    """Show the command line, Python and Opacus code, each to copy."""
    training, unknown = answer.training, control_text("solve")
    accountant = CERTIFIED if covered(training, CERTIFIED) else FAST
    commands, snippets = [command(training, accountant)], [snippet(training, accountant)]
    if unknown in SOLVED and unknown != "epsilon":
        commands.append(plan_command(training, unknown, target(), accountant))
        snippets.append(snippet(training, accountant, unknown, target()))
    show_command(*commands)
    show_python(*snippets)
    show_opacus(training)
