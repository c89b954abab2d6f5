"""Offer the run as code, to copy."""

from __future__ import annotations

from dpcore.questions.plan.told import command, plan_command, snippet
from pages.plan.answer import Answer
from pages.shared.code import show_command, show_opacus, show_python
from pages.shared.work import Waiting


def show(answer: Answer) -> Waiting:
    """Show the command line, Python and Opacus code, each to copy; nothing is to compute."""
    training, unknown = answer.training, answer.plan.unknown
    commands, snippets = [command(training, "pld")], [snippet(training, "pld")]
    if unknown != "epsilon":
        commands.append(plan_command(answer.start, unknown, answer.budget, "pld"))
        snippets.append(snippet(answer.start, "pld", unknown, answer.budget))
    show_command(*commands)
    show_python(*snippets)
    show_opacus(training)
    return []
