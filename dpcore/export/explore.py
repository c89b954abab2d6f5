"""An exploration as code: command lines and Python that give the table on screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from dpcore.controls.explore import CONTROLS, EPSILON
from dpcore.controls.options import exactly
from dpcore.datasets import Preparation
from dpcore.evaluation.study import Study
from dpcore.export.lines import call, changed, joined

OPTIONS = {control.field: control.option for control in CONTROLS if control.option} | {
    "epsilons": EPSILON.option,
    "preparation.seed": "split-seed",
}
"""Options of the command line by field, where the names differ."""
# The command line spells a preparation out, and takes an upload as a file.
NOT_OPTIONS = ("preparation", "upload", "columns")
# Fields that the snippet expresses in another way, and fields that it names for every part.
EXPRESSED_OTHERWISE = ("preparation", "upload", "columns")
PER_PART = ("methods", "epsilons")
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
    """The command lines that together give the table on screen, one for each part."""
    outputs = [
        (closed, "closed_form.csv"),
        *((study, f"{study.methods[0]}.csv") for study in to_train),
    ]
    return "\n".join(command(study, output) for study, output in outputs)


def snippet(study: Study, to_train: Sequence[Study]) -> str:
    """Python that gives exactly the table on screen.

    Parameters
    ----------
    study : Study
        The study of the whole page.
    to_train : sequence of Study
        The parts of it that are trained, one a method.
    """
    parts = [*_closed(study, to_train), *to_train]
    # Fields common to all parts are written once, the rest with each part.
    per_part = [
        field.name
        for field in fields(Study)
        if field.name in PER_PART or len({repr(getattr(part, field.name)) for part in parts}) > 1
    ]
    shared = {
        name: value
        for name, value in vars(parts[0]).items()
        if name not in (*per_part, *EXPRESSED_OTHERWISE)
    }
    preparation = ", ".join(changed(vars(study.preparation), vars(Preparation())))
    lines = [
        "import pandas as pd",
        "",
        "import dpcore",
        "",
        f"records = {_source(study)}",
        f"split = dpcore.prepare(records, dpcore.Preparation({preparation}))",
        *call("settings = dict", changed(shared, vars(Study()))),
        "# Noise comes from a seed: for exploration only.",
        "parts = [",
    ]
    for part in parts:
        arguments = ", ".join(f"{name}={getattr(part, name)!r}" for name in per_part)
        lines.append(f"    dpcore.Study({arguments}, **settings),")
    lines += [
        "]",
        "curves = [dpcore.explore(part, split=split) for part in parts]",
        "table = pd.concat(curves, ignore_index=True)",
        "print(table.to_string())",
    ]
    return "\n".join(lines) + "\n"


def _closed(study: Study, to_train: Sequence[Study]) -> list[Study]:
    """The part of the study that needs no training; none where every method is trained."""
    trained = {key for part in to_train for key in part.methods}
    closed = tuple(key for key in study.methods if key not in trained)
    return [replace(study, methods=closed)] if closed else []


def _source(study: Study) -> str:
    """The call that loads the study's records."""
    arguments = [repr(study.dataset)]
    if study.upload:
        arguments.append(f"file={YOUR_FILE!r}")
    if study.columns:
        arguments.append(f"columns={study.columns!r}")
    if study.records is not None:
        arguments.append(f"records={study.records}")
    return f"dpcore.load({', '.join(arguments)})"
