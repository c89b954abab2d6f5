"""The register of the questions, each loaded by its name."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from dpcore.controls.control import Control
from dpcore.questions import names
from dpcore.questions.question import Question


@cache
def named(name: str) -> type[Question]:
    """Load a question by its name."""
    question: type[Question] = import_module(f"dpcore.questions.{name}.question").QUESTION
    return question


def by_tab() -> dict[str, type[Question]]:
    """Load each question that has a tab on Explore."""
    every = [named(name) for name in names()]
    return {question.tab: question for question in every if question.tab}


def controls() -> tuple[Control, ...]:
    """Every control of their tabs, each once."""
    every = [control for question in by_tab().values() for control in question.controls()]
    return tuple({control.key: control for control in every}.values())
