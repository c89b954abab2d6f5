"""A run as a command line, as Python, and as the same training with Opacus."""

from __future__ import annotations

from collections.abc import Mapping

from dpcore.accounting.events import TrainingPlan, opacus_gamma
from dpcore.accounting.risk_target import RiskTarget, named
from dpcore.guarantee import Adjacency
from dpcore.questions.lines import joined


def command(training: TrainingPlan, accountant: str) -> str:
    """The command line that gives the ε on screen."""
    settings = {"sigma": training.sigma} | _settings(training)
    return _line("epsilon", settings | {"delta": training.delta, "accountant": accountant})


def plan_command(
    training: TrainingPlan, unknown: str, target: float | RiskTarget, accountant: str
) -> str:
    """The command line that solves for the unknown."""
    settings = {"sigma": training.sigma, "delta": training.delta} | _settings(training)
    solved = dict.fromkeys(("steps", "epochs") if unknown == "epochs" else (unknown,))
    return _line(
        "plan", {"solve": unknown} | named(target) | settings | solved | {"accountant": accountant}
    )


def _line(command: str, options: Mapping[str, object]) -> str:
    given = [
        f"--{name.replace('_', '-')} {value}"
        for name, value in options.items()
        if value is not None
    ]
    return joined(f"python -m dpcore {command}", *given)


def _settings(training: TrainingPlan) -> dict[str, object]:
    """The options of the run besides σ and δ; ``None`` where the default says the same."""
    nominal = training.adjacency is Adjacency.ADD_REMOVE
    every = "step" if training.decay_every == 1 else training.decay_every
    return {
        "public-size" if nominal else "records": training.records,
        "batch": training.batch,
        "steps": training.steps,
        "sensitivity": None if training.clip == 1.0 else training.clip,
        "decay": None if training.decay == 1.0 else training.decay,
        "decay-every": None if training.decay == 1.0 else every,
        "sampling": training.sampling,
        "adjacency": training.adjacency,
        "chosen-of": None if training.chosen_of == 1 else training.chosen_of,
    }


def snippet(
    training: TrainingPlan,
    accountant: str,
    unknown: str = "epsilon",
    target: float | RiskTarget | None = None,
) -> str:
    """Python that gives the ε on screen, or solves for the unknown, from its present value on."""
    settings = {
        **({} if target is None else named(target)),
        "sigma": training.sigma,
        "clip": None if training.clip == 1.0 and unknown != "clip" else training.clip,
        "records": training.records,
        "batch": training.batch,
        "steps": training.steps,
        "decay": None if training.decay == 1.0 else training.decay,
        "decay_every": None if training.decay == 1.0 else training.decay_every,
        "delta": training.delta,
        "sampling": training.sampling,
        "adjacency": str(training.adjacency),
        "chosen_of": None if training.chosen_of == 1 else training.chosen_of,
        "accountant": accountant,
    }
    notes = {unknown: "  # where the search begins"} if unknown != "epsilon" else {}
    if training.adjacency is Adjacency.ADD_REMOVE:
        notes["records"] = "  # a public size"
    return "\n".join(
        [
            "import dpcore",
            "",
            "answer = dpcore.plan(",
            f"    {unknown!r},",
            *(
                f"    {name}={value!r},{notes.get(name, '')}"
                for name, value in settings.items()
                if value is not None
            ),
            ")",
            *([] if unknown == "epsilon" else ["print(answer.value)"]),
            "guarantee = answer.guarantee",
            "print(guarantee.epsilon, guarantee.delta, guarantee.adjacency, guarantee.by)",
            "",
        ]
    )


def opacus(training: TrainingPlan) -> str:
    """The same training with Opacus; its own figure at the end is by Rényi accounting."""
    decays = training.decay < 1.0
    lines = [
        "from opacus import PrivacyEngine",
        *(["from opacus.schedulers import ExponentialNoise"] if decays else []),
        "from torch.utils.data import DataLoader",
        "",
        "# model, optimizer, loss_function and dataset are yours; "
        f"dataset holds {training.records} records",
        f"loader = DataLoader(dataset, batch_size={training.batch})",
        'engine = PrivacyEngine(accountant="rdp")',
        "model, optimizer, loader = engine.make_private(",
        "    module=model,",
        "    optimizer=optimizer,",
        "    data_loader=loader,",
        f"    noise_multiplier={training.sigma / training.clip!r},",
        f"    max_grad_norm={training.clip!r},",
        "    poisson_sampling=True,",
        ")",
    ]
    if decays:
        lines.append(
            f"noise = ExponentialNoise(optimizer, gamma={opacus_gamma(training.decay)!r})  # √R"
        )
    lines += [
        "steps = 0",
        f"while steps < {training.steps}:",
        "    for features, labels in loader:",
        "        optimizer.zero_grad()",
        "        loss_function(model(features), labels).backward()",
        "        optimizer.step()",
        "        steps += 1",
    ]
    if decays and training.decay_every == 1:
        lines.append("        noise.step()")
    elif decays:
        lines += [f"        if steps % {training.decay_every} == 0:", "            noise.step()"]
    lines += [
        f"        if steps == {training.steps}:",
        "            break",
        f"print(engine.get_epsilon(delta={training.delta!r}))",
    ]
    return "\n".join(lines) + "\n"
