"""The command of a question, which is derived from its fields."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Mapping
from types import SimpleNamespace
from typing import Any

from dpcore.accounting.elsewhere import StatementStudy
from dpcore.audit.study import CourtStudy, TrialStudy
from dpcore.cli.options import Parser
from dpcore.cli.output import progress
from dpcore.cli.studies import (
    court_options,
    described_court,
    described_model,
    described_statement,
    described_study,
    described_summary,
    described_training,
    described_trial,
    give,
    model_options,
    statement_options,
    study_options,
    summary_options,
    training_options,
    trial_options,
    writable,
)
from dpcore.controls.options import described, is_flag
from dpcore.evaluation.marks import marked
from dpcore.evaluation.models import ModelStudy
from dpcore.evaluation.study import Study
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.questions import register
from dpcore.questions.question import Question, ask
from dpcore.summaries.study import TableStudy


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
    TableStudy: (summary_options, described_summary),
    TrainingStudy: (training_options, described_training),
    TrialStudy: (trial_options, described_trial),
    CourtStudy: (court_options, described_court),
    StatementStudy: (statement_options, described_statement),
}
"""What adds the options of what a question is asked of, and what reads them."""


def _part(question: type[Question]) -> tuple[Callable[..., None], Callable[..., Any]]:
    return PARTS[type(question().study)]


def _add(command: Parser, question: type[Question]) -> None:
    add, _ = _part(question)
    add(command)
    add_own(command, question)
    command.add_argument("--output", help="CSV file; default: standard output")


def add_own(command: Parser, question: type[Question], but: Collection[str] = ()) -> None:
    """Add the options of what is asked beside what it is asked of, but for some fields."""
    for each in question.asked():
        if each.name in but:
            continue
        for control in each.ask.options:
            command.add_argument(
                f"--{control.option}",
                dest=f"asked {control.option}",  # some are names that a parser has
                action="store_true" if is_flag(control) else "store",
                default=None,
                help=described(control),
            )


def _run(options: argparse.Namespace, question: type[Question]) -> int:
    _, described = _part(question)
    study, records = described(options)
    asked = question(study, **typed(options, question))
    asked.check(study.entry)  # before anything is trained
    output = None if options.output is None else writable(options.output)
    rows = marked(ask(asked, records=records, progress=progress))
    under = question.named() if options.json else ""
    give(rows, study, output, under, asked.beside(rows))
    return int(asked.fails(rows))


def typed(options: argparse.Namespace, question: type[Question]) -> dict[str, Any]:
    """Read them: a question's own fields, without those that were left out."""
    values = {}
    for each in question.asked():
        texts = [getattr(options, f"asked {control.option}") for control in each.ask.options]
        if any(text is not None for text in texts):
            values[each.name] = each.ask.typed(texts)
    return values
