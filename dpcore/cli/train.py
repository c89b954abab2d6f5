"""`train`: a network with private training, epoch by epoch; history, weights and settings as files.

Ctrl-C ends it after the step that is being taken; what was learned until then is left like that of
a whole training, with the ε spent.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpcore.cli.options import json_option, optional, words
from dpcore.cli.output import print_conditions, print_json, progress, upward
from dpcore.errors import Cancelled, InvalidInput, number, one_of, reject, whole

if TYPE_CHECKING:
    from dpcore.cli.options import Commands
    from dpcore.deep.recipe import Recipe
    from dpcore.evaluation.training import TrainingStudy

USUAL_EPSILON, USUAL_DECAY = "3", "0.99"
SCHEDULES = ("constant", "decay")
SHOWN_EVERY_SECONDS = 0.1

TEXTS = {
    "network": "linear, perceptron or cnn",
    "activation": "relu or tanh",
    "optimizer": "sgd, momentum or adam, on the noisy gradient",
    "sampling": "poisson, fixed or none",
    "adjacency": "add-remove, zero-out or replace-one",
    "noise": "isotropic, published-004 (as paper 004 prints it) or scaled (its sound form)",
    "weights": "where uneven noise takes its weights from: private, public, released or paid",
    "cost": "what scaled noise makes least: adaclip, gradient or curvature",
    "reading": "of paper 004's equation (11): equal-shares or exact",
}
NUMBERS = {
    "learning-rate": "of the optimizer",
    "average": "share of the steps so far whose weights are averaged",
    "clip": "C",
    "delta": "δ",
    "share": "of each step's budget that weights are paid with",
    "order": "paper 004's λ",
}
WHOLES = {
    "epochs": "n/batch steps each",
    "batch-size": "(expected) records a step",
    "seed": "of the first run; each further run adds 1",
    "refresh": "steps after which weights are computed afresh; 0 for once",
}
FLAGS = {
    "per-layer": "clip each layer to its share of C",
    "elementwise": "one scale a coordinate instead of one a layer",
    "noise-on-mean": "read paper 004's noise as on the mean of a batch",
}
FIELDS = {"batch-size": "batch"}
"""Fields of a `Recipe` that go by another name here; all others by their own."""


def add(commands: Commands) -> None:
    """Add the command."""
    command = commands.add_parser("train", help="train a network privately")
    command.add_argument("--dataset", default="digits", help="a set for networks, or any table")
    command.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="one of its settings"
    )
    command.add_argument("--features", default="raw", help="raw, scattering or whitened")
    command.add_argument(
        "--epsilon", help=f"target of the whole training (usually {USUAL_EPSILON})"
    )
    command.add_argument("--sigma", help="σ of the first step, in place of --epsilon; 0 for none")
    command.add_argument("--no-clipping", action="store_true", help="then nothing is private")
    command.add_argument("--budget", help="end before the step that would spend more than this ε")
    command.add_argument("--widths", help="comma-separated, of a perceptron's hidden layers")
    command.add_argument("--schedule", help="constant or decay")
    command.add_argument("--decay", help="R: the variance is multiplied by it each time")
    command.add_argument("--decay-every", help="epoch or step")
    for name, meaning in {**TEXTS, **NUMBERS, **WHOLES}.items():
        command.add_argument(f"--{name}", help=meaning)
    for name, meaning in FLAGS.items():
        command.add_argument(f"--{name}", action="store_true", help=meaning)
    command.add_argument("--runs", default="1", help="trainings with seeds of their own")
    command.add_argument("--held-out", action="store_true", help="leave the test part alone")
    command.add_argument("--public", default="0", help="training records set aside as public")
    command.add_argument("--device", default="auto", help="auto, cpu or cuda")
    command.add_argument("--output", help="folder for history.csv, weights.npz and settings.json")
    json_option(command)
    command.set_defaults(run=_train)


def _train(options: argparse.Namespace) -> None:
    from dpcore.evaluation.training import begin, conclusion, outcome

    study, folder = _study(options), _folder(options.output)
    report = _seldom(progress)
    trainer = begin([study], device=options.device, progress=report)
    stopped = False
    with _interrupted() as asked:
        try:
            trainer.run(report, cancelled=asked)
        except Cancelled:
            stopped = True
    progress(1.0, "stopped" if stopped else "trained")
    found = conclusion(trainer)
    if folder is not None and trainer.taken(0):
        left = outcome(trainer)
        files = {"history.csv": left.rows.to_csv(index=False).encode(), **left.files}
        _leave(folder, files, options.output)
    if options.json:
        print_json({"train": found | {"stopped": stopped}})
    else:
        _say(found)
    if stopped:
        print(_spent(found), file=sys.stderr)
        raise KeyboardInterrupt


def _study(options: argparse.Namespace) -> TrainingStudy:
    from dpcore.evaluation.training import TrainingStudy

    if options.epsilon is not None and options.sigma is not None:
        raise InvalidInput("epsilon and sigma are both given, but one of them must be left out.")
    recipe, epsilon = _recipe(options), optional("epsilon", options.epsilon)
    if recipe.private and options.sigma is None and epsilon is None:
        epsilon = float(USUAL_EPSILON)
    return TrainingStudy(
        dataset=options.dataset,
        features=options.features,
        recipe=recipe,
        epsilon=epsilon,
        runs=whole("runs", options.runs, at_least=1),
        budget=optional("budget", options.budget),
        held_out=options.held_out,
        public=whole("public", options.public, at_least=0),
        settings=tuple(_setting(text) for text in options.set),
    )


def _recipe(options: argparse.Namespace) -> Recipe:
    from dpcore.deep.recipe import Recipe

    def typed(name: str) -> Any:
        return getattr(options, name.replace("-", "_"))

    given: dict[str, Any] = {}
    for names, read in (
        (TEXTS, lambda name, text: text),
        (NUMBERS, number),
        (WHOLES, lambda name, text: whole(name, text, at_least=0)),
        (FLAGS, lambda name, flag: flag),
    ):
        for name in names:
            if typed(name) not in (None, False):
                given[FIELDS.get(name, name.replace("-", "_"))] = read(name, typed(name))
    if options.widths is not None:
        given["widths"] = tuple(whole("widths", part, at_least=1) for part in words(options.widths))
    if options.sigma is not None:
        given["sigma"] = number("sigma", options.sigma, at_least=0.0)
    return Recipe(**given, **_schedule(options), clipped=not options.no_clipping)


def _schedule(options: argparse.Namespace) -> dict[str, Any]:
    """R and when; a decay that is given says that there is one."""
    usual = "constant" if options.decay is None else "decay"
    schedule = one_of("schedule", options.schedule or usual, SCHEDULES)
    if schedule == "constant":
        for name in ("decay", "decay_every"):
            if getattr(options, name) is not None:
                raise InvalidInput(
                    f"{name.replace('_', '-')} is given, but constant noise leaves no room for it."
                )
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


def _folder(output: str | None) -> Path | None:
    """Where files go, made if need be, before anything is trained."""
    if output is None:
        return None
    folder = Path(output)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        allowed = f"a folder that can be made or is there ({error.strerror})"
        raise reject("output", output, allowed) from None
    return folder


def _leave(folder: Path, files: dict[str, bytes], output: str) -> None:
    try:
        for name, contents in files.items():
            (folder / name).write_bytes(contents)
    except OSError as error:
        allowed = f"a folder that can be written to ({error.strerror})"
        raise reject("output", output, allowed) from None
    print(f"{', '.join(files)} written to {folder}", file=sys.stderr)


@contextmanager
def _interrupted() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed: a step that is cut off in the middle would miss in the books."""
    asked = False

    def note(*_: object) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)


def _seldom(show: Callable[[float, str], None]) -> Callable[[float, str], None]:
    last = 0.0

    def report(share: float, message: str) -> None:
        nonlocal last
        if time.monotonic() - last >= SHOWN_EVERY_SECONDS:
            last = time.monotonic()
            show(min(share, 0.999), message)

    return report


def _say(found: dict[str, Any]) -> None:
    print(
        f"{found['dataset']} ({found['features']}), {found['network']}, {found['noise']} noise: "
        f"{found['records']:,} records, {found['runs']} run{'' if found['runs'] == 1 else 's'}"
    )
    for name in ("accuracy", "auc"):
        if found[name] is not None:
            value = found[name]
            print(
                f"{name} on {found['measured_on']}: {value['mean']:.4f} "
                f"(90 % of runs: {value['low']:.4f} to {value['high']:.4f})"
            )
    print(_spent(found))
    print(f"status: {found['status']}")
    print_conditions(found["conditions"])
    claim = found["claim"]
    if claim["epsilon"] is not None:
        print(
            f"claim: ε = {claim['epsilon']:.6g} at δ = {claim['delta']:g} under "
            f"{claim['adjacency']} ({claim['by']}). {claim['verdict']}"
        )
        print_conditions(claim["conditions"])


def _spent(found: dict[str, Any]) -> str:
    """What the steps that were taken have spent, in one sentence."""
    steps = f"{found['steps']:,} of {found['steps_planned']:,} steps"
    if found["epsilon"] is None:
        return f"No ε is certified for {steps}: {found['reason']}"
    return (
        f"ε = {upward(found['epsilon'], 6)} at δ = {found['delta']:g} under {found['adjacency']} "
        f"is spent after {steps}, certified by {found['accountant']} "
        f"(σ = {found['sigma']:.6g} at first, C = {found['clip']:g})."
    )
