"""`plan`: a setting of a run for a budget; and the cost of a run, also for `epsilon`."""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from dpcore.accounting.accountants import (
    ACCOUNTANTS,
    certify,
    default_adjacency,
    lower_bound,
    refusal,
)
from dpcore.accounting.events import (
    MAX_CHOSEN,
    MAX_STEPS,
    OUTPUTS,
    SAMPLINGS,
    Composed,
    Schedule,
    TrainingPlan,
    check_basis,
    custom,
    linear,
    steps,
    steps_per_epoch,
)
from dpcore.accounting.paper_003 import account
from dpcore.accounting.planner import UNKNOWNS, WHOLE, Plan, saving, solve, through_budget
from dpcore.accounting.risk_target import RiskTarget, named, risk_target
from dpcore.accounting.root_search import RELATIVE_ERROR
from dpcore.accounting.tradeoff import mu_of
from dpcore.cli.options import MAX_EPSILON, Parser, alone, optional_whole, or_usual, scale, scales
from dpcore.cli.output import downward, print_conditions, print_json, print_mu, shown, upward
from dpcore.controls.options import add as add_controls
from dpcore.controls.options import add as add_options
from dpcore.controls.options import described
from dpcore.controls.plan import CONTROLS, OPTIONS, TARGETS
from dpcore.errors import InvalidInput, brief, number, one_of, reject, whole
from dpcore.guarantee import SMALLEST_DELTA, Adjacency, Guarantee, verdicts
from dpcore.questions.plan.limit import ChoiceCost, choice_cost
from dpcore.questions.plan.words import saved
from dpcore.words import as_set, spaced

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


def add_run_options(command: Parser) -> None:
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
        return TypedRun(**vars(run_training(options, sigma=sigmas[0])), typed=custom(sigmas))
    run = run_training(options, sigma=sigmas[0])
    if options.last_sigma is None:
        return run
    alone(options, "last-sigma", "decay", "decay_every")
    last = scale("last-sigma", options.last_sigma)
    _few_levels(run.steps)
    return TypedRun(**vars(run), typed=linear(run.sigma, last, run.steps))


def run_training(
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
    check_basis(or_usual(options.chosen_by, OUTPUTS))
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
        chosen_of=optional_whole("chosen-of", options.chosen_of, 1, MAX_CHOSEN) or 1,
    )


def public_size(options: argparse.Namespace) -> int | None:
    """The nominal size that stands in for n under add/remove; ``None`` where none was typed."""
    return optional_whole("public-size", options.public_size, 1, MAX_RECORDS)


def chosen_accountant(options: argparse.Namespace, event: Composed, adjacency: Adjacency) -> str:
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


def add(command: Parser) -> None:
    # The page solves for the length in either unit, and not for C.
    command.add_argument("--solve", required=True, help=", ".join(UNKNOWNS))
    add_options(command, (*TARGETS, CONTROLS["plan_delta"], CONTROLS["sigma"]))
    # Two names, as `epsilon` and `risk` have the first for a query's sensitivity too.
    command.add_argument("--sensitivity", "--clip", help=described(CONTROLS["clip"]))
    add_run_options(command)


def print_cost(options: argparse.Namespace) -> None:
    """ε of the run that the options describe."""
    training = read(options)
    answer = _cost(training, options)
    choice = choice_cost("epsilon", training, 1.0, answer["accountant"])
    answer |= _choice(choice)
    if options.json:
        print_json(answer)
        return
    print(f"epsilon = {shown(answer['epsilon'])}")
    print_mu(answer["mu"], answer["delta"])
    print(f"at δ = {upward(answer['delta'])}, {_neighbour(answer)}, by {answer['accountant']}")
    print(f"source: {answer['theorem']}")
    print(_described(answer))
    print_conditions(answer["conditions"])
    if answer["epsilon"] is None and not answer["conditions"]:
        print(answer["reason"])
    if answer["lower_bound"] is not None:
        print(f"the exact ε is at least {downward(answer['lower_bound'])}")
    if choice is not None:
        print(choice.sentence)
    if answer["claim"] is not None:
        print(f"claim ({answer['claim']['by']}): epsilon = {upward(answer['claim']['epsilon'])}")
        print(f"certified for this noise: {_certified(answer['certified'])}")
        print(f"the same on Poisson samples: {_certified(answer['certified_poisson'])}")


def _cost(training: TrainingPlan, options: argparse.Namespace) -> dict[str, Any]:
    event, adjacency, delta = training.event(), training.adjacency, training.delta
    accountant = chosen_accountant(options, event, adjacency)
    certificate = certify(event, delta, adjacency, accountant)
    answer = {
        "epsilon": certificate.epsilon,
        "mu": mu_of(steps(event), adjacency, delta),
        "question": "epsilon",
        "accountant": accountant,
        "theorem": ACCOUNTANTS[accountant].source,
        "adjacency": str(adjacency),
        "public_size": public_size(options),
        "delta": delta,
        "reason": certificate.reason,
        "conditions": [],
        "claim": None,
        "certified": _statement(certificate, accountant, training.sampling),
        "certified_poisson": None,
        "lower_bound": None,
        "pessimism": None,
    } | _settings(training)
    if accountant == "pld" and certificate.epsilon is not None:
        answer["lower_bound"] = lower_bound(event, delta, adjacency)
        answer["pessimism"] = certificate.epsilon - answer["lower_bound"]
    if accountant == "tcdp":
        tight = tightest(event, adjacency)
        certified = certify(event, delta, adjacency, tight)
        answer["certified"] = _statement(certified, tight, training.sampling)
        if training.rate < 1.0 and training.chosen_of == 1:  # the claim is of one run
            answer |= _printed(training)
            poisson = replace(training, sampling="poisson").event()
            certified = certify(poisson, delta, Adjacency.ZERO_OUT, "pld")
            answer["certified_poisson"] = _statement(certified, "pld", "poisson")
    return answer


def _printed(training: TrainingPlan) -> dict[str, Any]:
    paper = account(training.schedule(), training.rate, training.delta, training.clip)
    return {
        "conditions": verdicts(paper.conditions),
        "claim": {"epsilon": paper.claim.epsilon, "by": paper.claim.by},
    }


def _settings(training: TrainingPlan) -> dict[str, Any]:
    schedule = training.schedule()
    return {
        "sampling": training.sampling,
        "sampling_rate": training.rate,
        "steps": schedule.steps,
        "sigma": training.sigma,
        "sensitivity": training.clip,
        "schedule": schedule.name,
        "least_noise_multiplier": min(schedule.sigmas) / training.clip,
    }


def _neighbour(answer: dict[str, Any]) -> str:
    size = answer["public_size"]
    return f"{answer['adjacency']}" + ("" if size is None else f" (public size {spaced(size)})")


def _described(answer: dict[str, Any]) -> str:
    rate_text = "" if answer["sampling"] == "none" else f", q = {as_set(answer['sampling_rate'])}"
    return (
        f"run: {spaced(answer['steps'])} steps, sampling {answer['sampling']}{rate_text}, σ "
        f"{as_set(answer['sigma'])} ({answer['schedule']}), C = {as_set(answer['sensitivity'])}"
    )


def _statement(guarantee: Guarantee, accountant: str, sampling: str) -> dict[str, Any]:
    return {
        "epsilon": guarantee.epsilon,
        "delta": guarantee.delta,
        "accountant": accountant,
        "adjacency": str(guarantee.adjacency),
        "sampling": sampling,
        "reason": guarantee.reason,
    }


def _certified(statement: dict[str, Any]) -> str:
    if statement["epsilon"] is None:
        return str(statement["reason"])
    setting = f"{statement['adjacency']}, sampling {statement['sampling']}"
    return f"epsilon = {upward(statement['epsilon'])} by {statement['accountant']}, {setting}"


def run(options: argparse.Namespace) -> None:
    unknown = one_of("solve", options.solve, UNKNOWNS)
    if options.last_sigma is not None:
        raise InvalidInput("last-sigma is given, but a plan is for constant or decaying noise.")
    risk = risk_target(options.right_of_100, options.found_of_100, options.at_false_alarms)
    if options.epsilon is not None and (risk is not None or unknown == "epsilon"):
        why = "it is what is solved for" if risk is None else "a risk stands in its place"
        raise InvalidInput(f"epsilon is given, but {why}: leave it out.")
    if unknown == "epsilon" and risk is None:
        if options.sigma is None:
            raise InvalidInput("sigma is missing, but this question needs --sigma.")
        print_cost(options)
        return
    if options.epsilon is None and risk is None:
        raise InvalidInput("epsilon is missing, but a plan needs the ε that may be spent.")
    target: float | RiskTarget = risk or number(
        "epsilon", options.epsilon, at_least=1e-12, at_most=MAX_EPSILON
    )
    training = run_training(options, "sigma" if unknown == "epsilon" else unknown)
    first = replace(training, steps=1)
    accountant = chosen_accountant(options, first.event(), training.adjacency)
    plan = solve(unknown, training, target, accountant)
    value = round(plan.value) if unknown in WHOLE and plan.value is not None else plan.value
    answer: dict[str, Any] = {
        unknown: value,
        "question": unknown,
        "sentence": plan.sentence,
        "target_epsilon": None if risk else target,
        "epsilon": plan.guarantee.epsilon,
        "mu": _mu(plan),
        "delta": plan.guarantee.delta,
        "accountant": accountant,
        "adjacency": str(training.adjacency),
        "public_size": public_size(options),
        "relative_error": None if value is None else 0.0 if unknown in WHOLE else RELATIVE_ERROR,
        "settings": None if plan.training is None else _settings(plan.training),
    }
    choice = None if plan.training is None else choice_cost(unknown, training, target, accountant)
    answer |= _choice(choice)
    if risk is not None:
        answer |= _beside_budget(plan, training, risk, accountant)
    if options.json:
        print_json(answer)
        return
    print(f"{unknown} = {_value_text(unknown, value)}")
    print(plan.sentence)
    if value is not None:
        print(_exactness(unknown, answer["relative_error"]))
    print_mu(answer["mu"], answer["delta"])
    if answer["settings"] is not None:
        print(_described(answer["settings"]))
    if choice is not None:
        print(choice.sentence)
    if risk is not None:
        print(saved(plan, training.delta, answer["saves"]))


def _mu(plan: Plan) -> float | None:
    training = plan.training
    if training is None:
        return None
    return mu_of(steps(training.event()), training.adjacency, training.delta)


def _beside_budget(
    plan: Plan, training: TrainingPlan, risk: RiskTarget, accountant: str
) -> dict[str, Any]:
    """The risk that is kept, and the answer by an (ε, δ) that alone keeps it."""
    through = through_budget(plan.unknown, training, risk, accountant)
    run = None if through is None else through.training
    return {
        "target": named(risk),
        "through_budget": None
        if run is None
        else {"epsilon": risk.epsilon_alone(run.delta), "delta": run.delta} | _settings(run),
        "saves": saving(plan, through),
    }


def _choice(choice: ChoiceCost | None) -> dict[str, Any]:
    """What a run that is the best of several adds to the answer."""
    return {} if choice is None else {"choice": asdict(choice)}


def _exactness(unknown: str, error: float) -> str:
    if unknown in WHOLE:
        return "exact: the largest that this accountant allows"
    side = "largest" if unknown == "clip" else "least"
    return (
        f"error: within a relative {as_set(error)} of the {side} that this accountant allows, on "
        "the safe side"
    )


def _value_text(unknown: str, value: float | None) -> str:
    if value is None:
        return "(not reachable)"
    if unknown in WHOLE:
        return f"{value:d}"
    return downward(value) if unknown == "clip" else upward(value)
