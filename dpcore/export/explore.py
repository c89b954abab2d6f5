"""An exploration as code: command lines and Python that give the table on screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from dpcore.controls.explore import CONTROLS, EPSILON
from dpcore.controls.options import exactly
from dpcore.datasets import Preparation
from dpcore.evaluation.study import Study
from dpcore.export.lines import changed, joined

OPTIONS = {control.field: control.option for control in CONTROLS if control.option} | {
    "epsilons": EPSILON.option,
    "preparation.seed": "split-seed",
}
"""Options of the command line by field, where they are not named alike."""
# The command line spells a preparation out, and takes an upload as a file.
NOT_OPTIONS = ("preparation", "upload", "columns")
# What the snippet says in other words.
BESIDE = ("preparation", "upload")
YOUR_FILE, YOUR_COLUMNS = "your_file.csv", "columns.txt"
ALWAYS = ("dataset", "loss", "methods", "edition", "epsilons", "adjacency", "runs", "seed")


def command(study: Study, output: str = "out.csv") -> str:
    """The command line that gives the study's answers, one row per method and ε."""
    parts = ["python -m dpcore sweep --summary"]
    if study.upload:
        parts.append(f"--table {YOUR_FILE}")
    if study.columns:
        parts.append(f"--columns {YOUR_COLUMNS}")
    parts += _options(study, "", ALWAYS)
    parts += _options(study.preparation, "preparation.", ())
    return joined(*parts, f"--output {output}")


def _options(item: Study | Preparation, prefix: str, always: Sequence[str]) -> list[str]:
    """An option for each field that is always named, or differs from the default."""
    default, parts = type(item)(), []
    for field in fields(item):
        value = getattr(item, field.name)
        if field.name in NOT_OPTIONS:
            continue
        if field.name not in always and value == getattr(default, field.name):
            continue
        name = OPTIONS.get(prefix + field.name, field.name.replace("_", "-"))
        if isinstance(value, bool):
            parts.append(f"--{name}" if value else f"--no-{name}")
        else:
            parts.append(f"--{name} {exactly(value)}")
    return parts


def commands(closed: Study, to_train: Sequence[Study]) -> str:
    """The command lines that together give the table on screen, one a part of it."""
    named = [(closed, "closed_form.csv"), *((one, f"{one.methods[0]}.csv") for one in to_train)]
    return "\n".join(command(one, output) for one, output in named)


def snippet(study: Study, to_train: Sequence[Study]) -> str:
    """Python that gives exactly the table on screen."""
    preparation = ", ".join(changed(vars(study.preparation), vars(Preparation())))
    named = {key: each for key, each in vars(study).items() if key not in BESIDE}
    arguments = changed(named, vars(Study()))
    if preparation:
        arguments.append(f"preparation=Preparation({preparation})")
    described = ", study.columns" if study.columns else ""
    source = (
        f"read_upload(study.dataset, Path('{YOUR_FILE}').read_bytes(), '{YOUR_FILE}'{described})"
        if study.upload
        else "load(study.dataset, records=study.records)"
    )
    lines = [
        "from dataclasses import replace",
        *(["from pathlib import Path"] if study.upload else []),
        "",
        "import pandas as pd",
        "",
        "from dpcore.datasets import Preparation, load, prepare, read_upload",
        "from dpcore.evaluation.curves import answers, closed_form",
        "from dpcore.evaluation.study import Study",
        "",
        "study = Study(",
        *(f"    {argument}," for argument in arguments),
        ")",
        f"split = prepare({source}, study.preparation)",
        "curves = [closed_form(study, split)]",
    ]
    for one in to_train:
        lines += [
            f"trained = replace(study, methods={one.methods!r}, epsilons={one.epsilons!r})",
            "curves.append(answers(trained, split=split))",
        ]
    lines += ["table = pd.concat(curves, ignore_index=True)", "print(table.to_string())"]
    return "\n".join(lines) + "\n"
