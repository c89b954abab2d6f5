"""A study, a model or a training in options, and its tables as output."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from dpcore.accounting.elsewhere import StatementStudy
from dpcore.accounting.events import OUTPUTS, check_basis
from dpcore.audit.study import EDITIONS, EVERY, CourtStudy, TrialStudy
from dpcore.cli.options import Parser, alone, numbers, optional, optional_whole, or_usual, words
from dpcore.cli.output import print_json, writing
from dpcore.cli.tables import TableSource, source, table_options, text_file
from dpcore.controls.atlas import FORM, RUN
from dpcore.controls.control import fields
from dpcore.controls.describe import TABLE as SUMMARISED
from dpcore.controls.explore import CONTROLS, DATA, EPSILON, FEW_EPSILONS, TYPED
from dpcore.controls.options import add as add_options
from dpcore.controls.options import exactly, typed_values
from dpcore.controls.statement import DISTANCE, HISTORY
from dpcore.controls.train import CONTROLS as TRAINING_CONTROLS
from dpcore.controls.train import MORE_OPTIONS
from dpcore.datasets import BY_RULE, OWN, PAPER_000, Entry, Preparation, Table, described, entry
from dpcore.datasets.images import Examples, catalogue, load, register
from dpcore.datasets.preparation import complete_only
from dpcore.deep.config import TrainingConfig
from dpcore.erm.method import COMPLETE_ONLY
from dpcore.errors import InvalidInput, number, one_of, reject, whole
from dpcore.evaluation.models import EPSILONS, ModelStudy
from dpcore.evaluation.study import Study, losses_for
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.spreadsheet import csv
from dpcore.summaries.study import EPSILONS as OF_SUMMARIES
from dpcore.summaries.study import TableStudy
from dpcore.words import listed, spaced

CONTROLLED = tuple(control for control in (*CONTROLS, EPSILON) if control is not DATA)
PREPARATIONS = {"public": BY_RULE, "paper-000": PAPER_000}
WRITABLE = "a file that can be written"


def study_options(command: Parser) -> None:
    """Add the options that describe a study."""
    table_options(command)
    add_options(command, CONTROLLED)
    # No page has the options from here on.
    command.add_argument("--batch", help="records per stochastic step; default: rule")
    command.add_argument(
        "--preparation",
        default="public",
        help=" or ".join(PREPARATIONS) + "; the options about records change it",
    )
    command.add_argument(
        "--log-transform",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="the public transform of long-tailed columns",
    )
    add_options(command, TYPED)


def described_study(options: argparse.Namespace) -> tuple[Study, Table | None]:
    """The study of the options, and its records where they come in a file."""
    data = source(options)
    choices = typed_values([control for control in CONTROLLED if control.field], options)
    typed = options.epsilon or exactly(FEW_EPSILONS)
    study = Study(
        **{"loss": losses_for(public(data))[0], **fields(CONTROLLED, choices)},
        dataset=data.dataset,
        upload=data.upload,
        columns=data.columns,
        epsilons=tuple(number("epsilon", part) for part in typed.split(",")),
        batch=optional_whole("batch", options.batch, 1),
        preparation=_preparation(options, choices),
    )
    return study, data.table


def model_options(command: Parser) -> None:
    """Add the options that describe a model of the survey."""
    table_options(command)
    command.add_argument("--epsilon", help=f"comma-separated; default: {exactly(EPSILONS)}")
    add_options(command, (FORM, *RUN))
    command.add_argument("--seed", default="0")


def described_model(options: argparse.Namespace) -> tuple[ModelStudy, Table | None]:
    """The model of the options, and its records where they come in a file."""
    data = source(options)
    study = ModelStudy(
        model=or_usual(options.model, ModelStudy.model),
        dataset=data.dataset,
        records=None if data.table is None else data.table.records,
        upload=data.upload,
        columns=data.columns,
        epsilons=EPSILONS if options.epsilon is None else numbers("epsilon", options.epsilon),
        delta=optional("delta", options.delta),
        adjacency=options.adjacency or "",
        runs=whole("runs", options.runs or ModelStudy.runs, at_least=1),
        seed=whole("seed", options.seed, at_least=0),
    )
    return study, data.table


def summary_options(command: Parser) -> None:
    """Add the options that describe a table to summarise."""
    table_options(command)
    command.add_argument("--epsilon", help=f"comma-separated; default: {exactly(OF_SUMMARIES)}")
    command.add_argument("--records", help="size of the synthetic cohort")
    add_options(command, SUMMARISED)


def described_summary(options: argparse.Namespace) -> tuple[TableStudy, Table | None]:
    """The table of the options, and its records where they come in a file."""
    data = source(options)
    records = optional_whole("records", options.records, 1)
    study = TableStudy(
        **fields(SUMMARISED, typed_values(SUMMARISED, options)),
        dataset=data.dataset,
        records=records if data.table is None else data.table.records,
        upload=data.upload,
        columns=data.columns,
        epsilons=OF_SUMMARIES if options.epsilon is None else numbers("epsilon", options.epsilon),
    )
    return study, data.table


def public(data: Study | TableSource) -> Entry:
    """What is known of the data without a look at the records."""
    return described(data.columns) if data.dataset == OWN else entry(data.dataset)


def give(
    rows: pd.DataFrame,
    study: object,
    output: Path | None,
    under: str,
    beside: Mapping[str, Any],
) -> None:
    """Write rows to a file, and print them: as CSV without one, or as `under` of a JSON object."""
    if isinstance(study, Study) and complete_only(public(study), study.preparation):
        print(f"About every ε: {COMPLETE_ONLY}.", file=sys.stderr)
    if beside.get("note"):
        print(beside["note"], file=sys.stderr)
    if output is not None:
        with writing(str(output), WRITABLE):
            output.write_text(csv(rows), encoding="utf-8")
        print(f"{spaced(len(rows))} rows written to {output}", file=sys.stderr)
    if under:
        print_json({under: rows.to_dict("records"), **beside})
    elif output is None:
        print(csv(rows), end="")


def writable(name: str) -> Path:
    """The path of a file that can be written, as far as it can be checked in advance."""
    path = Path(name)
    with writing(name, WRITABLE):
        if path.is_dir() or not path.parent.is_dir():
            raise reject("output", name, "a file in a folder that exists")
        path.exists()  # raises for a name that is too long
    return path


def _preparation(options: argparse.Namespace, choices: Mapping[str, Any]) -> Preparation:
    base = PREPARATIONS[one_of("preparation", options.preparation, tuple(PREPARATIONS))]
    choices = {**choices, **typed_values(TYPED, options)}
    typed = fields((*CONTROLLED, *TYPED), choices, "preparation")
    if options.log_transform is not None:
        typed["log_transform"] = options.log_transform
    return replace(base, **typed)


def trial_options(command: Parser) -> None:
    """Add the options that describe a trial."""
    on_trial = command.add_mutually_exclusive_group()
    on_trial.add_argument(
        "--method",
        help="key of a method or of a model of the survey; training, one-run, outsider or "
        "recalibration",
    )
    on_trial.add_argument("--all", action="store_true", help="every one of them")
    command.add_argument("--edition", help=f"{listed(EDITIONS)}; default: {EDITIONS[0]}")
    command.add_argument("--epsilon", help="default: where each attack has its power")
    command.add_argument("--delta", help="default: where each attack has its power")
    command.add_argument(
        "--noise-share", help="below 1, a copy with so much of the noise is on trial"
    )
    command.add_argument("--outputs", help="at most, on either data set; default: each attack's")
    command.add_argument("--confidence", help=f"default: {exactly(TrialStudy.confidence)}")
    command.add_argument("--seed", help="default: 0")
    command.add_argument("--attack", help="the only one, from 1; default: every one on the method")


def described_trial(options: argparse.Namespace) -> tuple[TrialStudy, None]:
    """The trial of the options."""
    given: dict[str, Any] = {
        "edition": options.edition,
        "epsilon": optional("epsilon", options.epsilon),
        "delta": optional("delta", options.delta),
        "noise_share": optional("noise-share", options.noise_share),
        "outputs": optional_whole("outputs", options.outputs, at_least=1),
        "confidence": optional("confidence", options.confidence),
        "seed": optional_whole("seed", options.seed, at_least=0),
        "attack": optional_whole("attack", options.attack, at_least=1),
        "method": EVERY if options.all else options.method,
    }
    return TrialStudy(**{name: value for name, value in given.items() if value is not None}), None


def court_options(command: Parser) -> None:
    """Add the options that describe a sitting of the court."""
    from dpcore.audit.court import cases

    command.add_argument("--case", help=f"{listed(tuple(cases()))}; default: every one")
    command.add_argument("--outputs", help="on either data set; default: each case's own")
    command.add_argument("--seed", help="default: 0")


def described_court(options: argparse.Namespace) -> tuple[CourtStudy, None]:
    """The sitting of the options."""
    return CourtStudy(
        options.case or "",
        optional_whole("outputs", options.outputs, at_least=1),
        optional_whole("seed", options.seed, at_least=0) or 0,
    ), None


def statement_options(command: Parser) -> None:
    """Add the options that hold a statement of privacy."""
    where = command.add_mutually_exclusive_group(required=True)
    where.add_argument("--history", help=HISTORY.brief)
    where.add_argument(
        "--file", help="of such lines, or an Opacus state_dict or an OpenDP measurement as JSON"
    )
    command.add_argument("--distance", help=DISTANCE.brief)


def described_statement(options: argparse.Namespace) -> tuple[StatementStudy, None]:
    """The statement of the options."""
    text = options.history if options.file is None else text_file("file", options.file)
    return StatementStudy(text, optional("distance", options.distance)), None


TRAINING = (*TRAINING_CONTROLS, *MORE_OPTIONS)
USUAL_DECAY = "0.99"


def training_options(command: Parser) -> None:
    """Add the options that describe a training."""
    _set_option(command)
    add_options(command, TRAINING)
    command.add_argument("--sigma", help="σ of the first step, in place of --epsilon; 0 for none")
    command.add_argument("--no-clipping", action="store_true", help="then nothing is private")
    command.add_argument("--budget", help="end before the step that would spend more than this ε")
    # The page has layers of the same width only.
    command.add_argument("--widths", help="comma-separated, of a perceptron's hidden layers")
    command.add_argument("--held-out", action="store_true", help="leave the test part alone")


def _set_option(command: Parser) -> None:
    own = {key: source.settings for key, source in register().items() if source.settings}
    # A preparation cannot be typed.
    own["a table"] = tuple(each for each in catalogue.TABLE_SETTINGS if each.name != "preparation")
    listed = "; ".join(f"{name}: {', '.join(map(str, each))}" for name, each in own.items())
    command.add_argument(
        "--set",
        action="append",
        metavar="NAME=VALUE",
        help=f"one of the data set's own. {listed}",
    )


def described_training(
    options: argparse.Namespace, **more: Any
) -> tuple[TrainingStudy, Examples | None]:
    """The training of the options, and its records where the usual batch is by their number.

    `more` are fields besides.
    """
    study = _study(options, **more)
    if options.batch_size is not None or study.config.sampling == "none":
        return study, None
    records = load(study.dataset, **dict(study.settings))
    size = study.config.size(study.trained_on(records.records))
    config = replace(study.config, batch=TRAINING_CONTROLS["lot"].usual(size))
    return replace(study, config=config), records


def _study(options: argparse.Namespace, **more: Any) -> TrainingStudy:
    if options.epsilon is not None and options.sigma is not None:
        raise InvalidInput("epsilon and sigma are both given, but one of them must be left out.")
    choices = typed_values(TRAINING, options)
    config, arguments = _config(options, choices), fields(TRAINING, choices)
    if options.sigma is not None or not config.private:
        arguments.setdefault("epsilon", None)
    return TrainingStudy(
        config=config,
        budget=optional("budget", options.budget),
        held_out=options.held_out,
        settings=tuple(_setting(text) for text in options.set or ()),
        **arguments,
        **more,
    )


def _config(options: argparse.Namespace, choices: Mapping[str, Any]) -> TrainingConfig:
    check_basis(choices.get("train_chosen_of_by", OUTPUTS))
    arguments = {**fields(TRAINING, choices, "config"), **_schedule(options, choices)}
    if options.widths is not None:
        arguments["widths"] = tuple(
            whole("widths", part, at_least=1) for part in words(options.widths)
        )
    if options.sigma is not None:
        arguments["sigma"] = number("sigma", options.sigma, at_least=0.0)
    return TrainingConfig(**arguments, clipped=not options.no_clipping)


def _schedule(options: argparse.Namespace, choices: Mapping[str, Any]) -> dict[str, Any]:
    """R and its interval; a given decay switches it on."""
    usual = "constant" if options.decay is None else "decay"
    if choices.get("schedule", usual) == "constant":
        alone(options, "constant noise", "decay", "decay_every")
        return {}
    decay = number("decay", options.decay or USUAL_DECAY, above=0.0, at_most=1.0)
    return {"decay": decay, "decay_every": options.decay_every or "epoch"}


def _setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise reject("set", text, "NAME=VALUE")
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value
