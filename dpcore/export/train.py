"""A training as code: a command line, and Python that gives the same history."""

from __future__ import annotations

from dataclasses import fields

from dpcore.deep.recipe import Recipe
from dpcore.evaluation import comparison
from dpcore.evaluation.training import TrainingStudy
from dpcore.export.lines import joined


def command(study: TrainingStudy, output: str = "run") -> str:
    """The command line that trains the same."""
    recipe = study.recipe
    decay = f" --decay {recipe.decay!r} --decay-every {recipe.decay_every}"
    widths = ",".join(map(str, recipe.widths))
    return joined(
        *[
            f"python -m dpcore train --dataset {study.dataset} --features {study.features}"
            + "".join(f" --set {name}={value}" for name, value in _settings(study)),
            f"--network {recipe.network} --activation {recipe.activation}"
            + (f" --widths {widths}" if recipe.network == "perceptron" else ""),
            f"--epsilon {study.epsilon!r} --delta {recipe.delta!r} --adjacency {recipe.adjacency}"
            + (f" --public-size {recipe.public_size}" if recipe.public_size else ""),
            f"--epochs {recipe.epochs} --batch-size {recipe.batch} --sampling {recipe.sampling}",
            f"--optimizer {recipe.optimizer} --learning-rate {recipe.learning_rate!r} "
            + (f"--final-rate {recipe.final_rate!r} " if recipe.final_rate < 1.0 else "")
            + f"--clip {recipe.clip!r} --average {recipe.average!r}",
            f"--noise {recipe.noise}" + (decay if recipe.decay < 1.0 else ""),
            *_shaping(recipe),
            f"--runs {study.runs} --seed {recipe.seed} --output {output}"
            + (f" --public {study.public}" if study.public else ""),
        ]
    )


def _shaping(recipe: Recipe) -> list[str]:
    """The options of uneven noise that are not at their first value, as one line; or none."""
    options = []
    for name in comparison.SHAPING[1:]:
        value = getattr(recipe, name)
        if value != getattr(Recipe, name):
            option = f"--{name.replace('_', '-')}"
            options.append(option if value is True else f"{option} {_written(value)}")
    return [" ".join(options)] if options else []


def _written(value: object) -> str:
    return value if isinstance(value, str) else repr(value)


def snippet(study: TrainingStudy) -> str:
    """Python that gives the history on screen."""
    return "\n".join([*described(study, "train"), "history = train(study)", ""])


def described(study: TrainingStudy, *others: str) -> list[str]:
    """Python lines that make the study; `others` are imported beside `TrainingStudy`."""
    changed = [
        f"    {field.name}={getattr(study.recipe, field.name)!r},"
        for field in fields(Recipe)
        if getattr(study.recipe, field.name) != field.default
    ]
    return [
        "from dpcore.deep.recipe import Recipe",
        f"from dpcore.evaluation.training import {', '.join(('TrainingStudy', *others))}",
        "",
        "recipe = Recipe(",
        *changed,
        ")",
        f"study = TrainingStudy({study.dataset!r}, features={study.features!r}, recipe=recipe, "
        f"epsilon={study.epsilon!r}, runs={study.runs}"
        + (f", public={study.public}" if study.public else "")
        + (f", settings={_settings(study)!r})" if study.settings else ")"),
    ]


def _settings(study: TrainingStudy) -> tuple[tuple[str, str], ...]:
    """The data set's own, which here only name an uploaded file."""
    return (("file", "your_file.npz"),) if study.settings else ()
