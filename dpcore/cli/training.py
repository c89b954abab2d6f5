"""A training's study in options."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dpcore.cli.options import Parser, alone, optional, words
from dpcore.controls.control import fields
from dpcore.controls.options import add as add_options
from dpcore.controls.options import typed_values
from dpcore.controls.train import CONTROLS, MORE_OPTIONS
from dpcore.datasets.images import Examples, load, register, tabular
from dpcore.deep.config import TrainingConfig
from dpcore.errors import InvalidInput, number, reject, whole
from dpcore.evaluation.training.study import TrainingStudy

CONTROLLED = (*CONTROLS, *MORE_OPTIONS)
USUAL_DECAY = "0.99"


def training_options(command: Parser) -> None:
    """Add the options that describe a training."""
    _set_option(command)
    add_options(command, CONTROLLED)
    command.add_argument("--sigma", help="σ of the first step, in place of --epsilon; 0 for none")
    command.add_argument("--no-clipping", action="store_true", help="then nothing is private")
    command.add_argument("--budget", help="end before the step that would spend more than this ε")
    # The page has layers of the same width only.
    command.add_argument("--widths", help="comma-separated, of a perceptron's hidden layers")
    command.add_argument("--held-out", action="store_true", help="leave the test part alone")


def _set_option(command: Parser) -> None:
    own = {key: source.settings for key, source in register().items() if source.settings}
    # A preparation cannot be typed.
    own["a table"] = tuple(each for each in tabular.SETTINGS if each.name != "preparation")
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
    config = replace(study.config, batch=CONTROLS["lot"].usual(size))
    return replace(study, config=config), records


def _study(options: argparse.Namespace, **more: Any) -> TrainingStudy:
    if options.epsilon is not None and options.sigma is not None:
        raise InvalidInput("epsilon and sigma are both given, but one of them must be left out.")
    choices = typed_values(CONTROLLED, options)
    config, arguments = _config(options, choices), fields(CONTROLLED, choices)
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
    arguments = {**fields(CONTROLLED, choices, "config"), **_schedule(options, choices)}
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
