"""The command of a question, which is derived from its fields."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from dpcore.cli.options import Parser
from dpcore.cli.output import progress
from dpcore.cli.studies import (
    described_model,
    described_study,
    give,
    model_options,
    study_options,
    writable,
)
from dpcore.cli.training import described_training, training_options
from dpcore.controls.options import described, is_flag
from dpcore.evaluation.marks import marked
from dpcore.evaluation.models import ModelStudy
from dpcore.evaluation.study import Study
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.questions import register
from dpcore.questions.question import Question, ask


def command(name: str) -> Any:
    """Make `add`, `run` and `JSON_HELP` of a question's command, as a command's module has them."""
    question = register.named(name)
    return SimpleNamespace(
        add=lambda parser: _add(parser, question),
        run=lambda options: _run(options, question),
        JSON_HELP=f"print rows as JSON under '{name}'",
    )


PARTS: Mapping[type, tuple[Callable[..., None], Callable[..., Any]]] = {
    Study: (study_options, described_study),
    ModelStudy: (model_options, described_model),
    TrainingStudy: (training_options, described_training),
}
"""What adds the options of what a question is asked of, and what reads them."""


def _part(question: type[Question]) -> tuple[Callable[..., None], Callable[..., Any]]:
    return PARTS[type(question().study)]


def _add(command: Parser, question: type[Question]) -> None:
    add, _ = _part(question)
    add(command)
    for each in question.asked():
        for control in each.ask.options:
            command.add_argument(
                f"--{control.option}",
                dest=f"asked {control.option}",  # some are names that a parser has
                action="store_true" if is_flag(control) else "store",
                default=None,
                help=described(control),
            )
    command.add_argument("--output", help="CSV file; default: standard output")


def _run(options: argparse.Namespace, question: type[Question]) -> None:
    _, described = _part(question)
    study, records = described(options)
    asked = question(study, **_typed(options, question))
    asked.check(study.entry)  # before anything is trained
    output = None if options.output is None else writable(options.output)
    rows = marked(ask(asked, records=records, progress=progress))
    under = question.named() if options.json else ""
    give(rows, study, output, under, asked.beside(rows))


def _typed(options: argparse.Namespace, question: type[Question]) -> dict[str, Any]:
    values = {}
    for each in question.asked():
        texts = [getattr(options, f"asked {control.option}") for control in each.ask.options]
        if any(text is not None for text in texts):
            values[each.name] = each.ask.typed(texts)
    return values
