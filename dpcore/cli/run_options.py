"""The options that describe a noisy training run, shared by `epsilon`, `plan` and `risk`.

σ is the absolute noise on the sum of records clipped to C (`--sensitivity`); a decay R multiplies
the variance each time.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from fractions import Fraction

from dpcore.accounting.accountants import ACCOUNTANTS, default_adjacency, refusal
from dpcore.accounting.events import SAMPLINGS, Composed
from dpcore.accounting.schedules import MAX_STEPS, Schedule, custom, linear
from dpcore.accounting.training_plan import TrainingPlan, steps_per_epoch
from dpcore.cli.options import Parser, alone, optional_whole, or_usual, scale, scales
from dpcore.controls.options import add as add_controls
from dpcore.controls.plan import OPTIONS
from dpcore.errors import InvalidInput, brief, number, one_of, reject, whole
from dpcore.guarantee import SMALLEST_DELTA, Adjacency
from dpcore.words import spaced

SMALLEST_RATE = 1e-15
MAX_RECORDS = 10**15
MAX_LEVELS = 100_000
"""Most distinct noise scales in one run: each is accounted for separately."""


@dataclass(frozen=True)
class TypedRun(TrainingPlan):
    typed: Schedule | None = None

    def schedule(self) -> Schedule:
        return self.typed or super().schedule()


def sensitivity_option(command: Parser) -> None:
    """Add `--sensitivity`, of one release or of a run."""
    command.add_argument(
        "--sensitivity",
        help="Δ, in the query's units; of a run C, the norm of one clipped record (default 1)",
    )


def add_options(command: Parser) -> None:
    """Add all options of a run."""
    add_controls(command.add_argument_group("a run of many steps"), OPTIONS)


def given(options: argparse.Namespace) -> list[str]:
    """The names of the options that were given."""
    names = [control.option for control in OPTIONS]
    return [name for name in names if getattr(options, name.replace("-", "_")) is not None]


def read(options: argparse.Namespace) -> TrainingPlan:
    """The run to account for: everything but ε is given."""
    sigmas = scales("sigma", options.sigma)
    if len(sigmas) > 1:
        alone(options, "a list of σ", "decay", "decay_every", "last_sigma", "epochs")
        if whole("steps", or_usual(options.steps, str(len(sigmas))), at_least=1) != len(sigmas):
            raise reject("steps", options.steps, f"{len(sigmas)}, one for each σ listed")
        options.steps = str(len(sigmas))
        return TypedRun(**vars(training(options, sigma=sigmas[0])), typed=custom(sigmas))
    run = training(options, sigma=sigmas[0])
    if options.last_sigma is None:
        return run
    alone(options, "last-sigma", "decay", "decay_every")
    last = scale("last-sigma", options.last_sigma)
    _few_levels(run.steps)
    return TypedRun(**vars(run), typed=linear(run.sigma, last, run.steps))


def training(
    options: argparse.Namespace, unknown: str | None = None, sigma: float | None = None
) -> TrainingPlan:
    """The settings as typed, without `unknown`; `sigma` stands for `--sigma`."""
    text = or_usual(_given(options, "sensitivity", unknown, "clip"), "1")
    clip = scale("sensitivity", text)
    adjacency = _adjacency(options)
    records, batch = _population(options, unknown)
    sampled = any(
        option is not None
        for option in (options.sampling_rate, options.records, options.public_size)
    )
    # tCDP's amplification is proved for fixed-size batches only.
    usual = "fixed" if options.accountant == "tcdp" else "poisson"
    sampling = or_usual(options.sampling, usual if sampled else "none")
    one_of("sampling", sampling, SAMPLINGS)
    if sampled == (sampling == "none"):
        needs = "poisson or fixed at this rate" if sampled else "none without a sampling rate"
        raise reject("sampling", sampling, needs)
    per_epoch = steps_per_epoch(records, batch)
    steps = _steps(options, unknown, per_epoch, sampled)
    decay, every = _decay(options, unknown, per_epoch)
    if decay < 1.0:
        _few_levels(steps // every)
    # The search for one of these begins at a multiplier of 1, and at 1e-5.
    if sigma is None:
        typed = _needed(options, "sigma", unknown)
        sigma = clip if typed is None else scale("sigma", typed)
    typed = _needed(options, "delta", unknown)
    delta = number("delta", or_usual(typed, "1e-5"), at_least=SMALLEST_DELTA, below=1.0)
    return TrainingPlan(
        sigma=sigma,
        records=records,
        batch=batch,
        steps=steps,
        delta=delta,
        clip=clip,
        decay=decay,
        decay_every=every,
        sampling=sampling,
        adjacency=default_adjacency(sampling) if adjacency is None else adjacency,
    )


def public_size(options: argparse.Namespace) -> int | None:
    """The nominal size that stands in for n under add/remove; ``None`` where none was typed."""
    return optional_whole("public-size", options.public_size, 1, MAX_RECORDS)


def accountant(options: argparse.Namespace, event: Composed, adjacency: Adjacency) -> str:
    """The requested accountant, or the tightest that covers the run; refused where it does not."""
    chosen = or_usual(options.accountant, tightest(event, adjacency))
    one_of("accountant", chosen, tuple(ACCOUNTANTS))
    if reason := refusal(event, adjacency, chosen):
        raise InvalidInput(reason)
    return chosen


def tightest(event: Composed, adjacency: Adjacency) -> str:
    """PLD where it covers the event, otherwise Rényi."""
    return "rdp" if refusal(event, adjacency, "pld") else "pld"


def _given(
    options: argparse.Namespace, name: str, unknown: str | None, solved: str | None = None
) -> str | None:
    """The text of an option, which must be absent where the option is solved for."""
    text: str | None = getattr(options, name)
    if text is not None and unknown == (solved or name):
        raise InvalidInput(f"{name} is {brief(text)}, but it is what is solved for: leave it out.")
    return text


def _needed(options: argparse.Namespace, name: str, unknown: str | None) -> str | None:
    """The text of an option that is required unless it is solved for."""
    text = _given(options, name, unknown)
    if text is None and unknown != name:
        raise _missing(name)
    return text


def _missing(name: str) -> InvalidInput:
    return InvalidInput(f"{name} is missing, but this question needs --{name}.")


def _few_levels(levels: int) -> None:
    if levels > MAX_LEVELS:
        raise InvalidInput(
            f"the schedule has {spaced(levels)} different σ, but it must have at most "
            f"{spaced(MAX_LEVELS)}."
        )


def _adjacency(options: argparse.Namespace) -> Adjacency | None:
    """The adjacency as typed, if at all, checked against the options for the number of records."""
    typed, size = options.adjacency, options.public_size
    adjacency = None if typed is None else Adjacency(one_of("adjacency", typed, tuple(Adjacency)))
    if adjacency is Adjacency.ADD_REMOVE:
        if options.records is not None:
            allowed = "left out under add-remove, where it is private: --public-size stands for it"
            raise reject("records", options.records, allowed)
    elif size is not None:
        allowed = "left out unless --adjacency is add-remove: otherwise --records is public"
        raise reject("public-size", size, allowed)
    return adjacency


def _population(options: argparse.Namespace, unknown: str | None) -> tuple[int, int]:
    """Records and batch; a bare sampling rate is read as the fraction of its decimals."""
    text = _given(options, "batch", unknown)
    if options.sampling_rate is not None:
        others = (options.records, options.public_size, text)
        if any(option is not None for option in others) or unknown == "batch":
            raise InvalidInput(
                "sampling-rate is given, but it leaves no room for records and a batch."
            )
        rate = number("sampling-rate", options.sampling_rate, at_least=SMALLEST_RATE, at_most=1.0)
        batch, records = Fraction(repr(rate)).as_integer_ratio()
        return records, batch
    size = "public-size" if options.adjacency == "add-remove" else "records"
    typed = getattr(options, size.replace("-", "_"))
    if typed is None:
        if text is not None or unknown == "batch":
            raise _missing(size)
        return 1, 1
    records = whole(size, typed, at_least=1, at_most=MAX_RECORDS)
    if text is None:
        if unknown != "batch":
            raise _missing("batch")
        return records, 1
    return records, whole("batch", text, at_least=1, at_most=records)


def _steps(options: argparse.Namespace, unknown: str | None, per_epoch: int, sampled: bool) -> int:
    steps, epochs = _given(options, "steps", unknown), _given(options, "epochs", unknown)
    if unknown in ("steps", "epochs"):
        if steps is not None or epochs is not None:
            raise InvalidInput(
                f"{unknown} are solved for, so neither steps nor epochs may be given."
            )
        return min(per_epoch, MAX_STEPS)
    if steps is not None and epochs is not None:
        raise InvalidInput("steps and epochs are both given, but one of them must be left out.")
    if epochs is not None:
        if unknown == "batch":
            raise InvalidInput(
                "epochs are given, but a batch is solved for a fixed number of --steps."
            )
        count = whole("epochs", epochs, at_least=1)
        if count * per_epoch > MAX_STEPS:
            allowed = (
                f"few enough for {spaced(MAX_STEPS)} steps at {spaced(per_epoch)} steps an epoch"
            )
            raise reject("epochs", count, allowed)
        return count * per_epoch
    if steps is None and sampled:
        raise InvalidInput("steps are missing, but a sampled run needs --steps or --epochs.")
    return optional_whole("steps", steps, 1, MAX_STEPS) or 1


def _decay(options: argparse.Namespace, unknown: str | None, per_epoch: int) -> tuple[float, int]:
    if options.decay is None:
        if options.decay_every is not None:
            raise InvalidInput("decay-every is given, but it says nothing without --decay.")
        return 1.0, 1
    decay = number("decay", options.decay, above=0.0, at_most=1.0)
    every = or_usual(options.decay_every, "step")
    if every == "epoch" and unknown == "batch":
        raise InvalidInput("decay-every is 'epoch', but an epoch's steps change with the batch.")
    if every in ("step", "epoch"):
        return decay, 1 if every == "step" else per_epoch
    try:
        return decay, whole("decay-every", every, at_least=1)
    except InvalidInput:
        raise reject("decay-every", every, "step, epoch or a whole number of steps") from None
