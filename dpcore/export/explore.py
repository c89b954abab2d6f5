"""An exploration as code: command lines and Python that give the table on screen."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import fields

from dpcore.controls.explore import CONTROLS, CORRECTED, EPSILON, TYPED
from dpcore.controls.options import exactly
from dpcore.datasets import Preparation
from dpcore.evaluation.clinic.by_hand import HandStudy
from dpcore.evaluation.clinic.costs import Costs
from dpcore.evaluation.clinic.group_task import GroupStudy
from dpcore.evaluation.clinic.hand_edits import as_object
from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.clinic.term_rows import FIRST
from dpcore.evaluation.study import Study
from dpcore.export.lines import TELLING, call, changed, joined

OPTIONS = {
    **{control.field: control.option for control in (*CONTROLS, *TYPED) if control.option},
    "epsilons": EPSILON.option,
}
"""Options of the command line by field, where the names differ."""
# The command line spells a preparation out and takes an upload as a file, and the snippet does so
# in its own way; it names some fields for every part.
EXPRESSED_OTHERWISE = ("preparation", "upload", "columns")
PER_PART = ("methods", "epsilons")
YOUR_FILE, YOUR_COLUMNS = "your_file.csv", "columns.yaml"
YOUR_CORRECTIONS = "corrections.json"
ALWAYS = ("dataset", "loss", "methods", "edition", "epsilons", "adjacency", "runs", "seed")


def command(study: Study, output: str = "out.csv") -> str:
    """The command line that gives the study's answers, one row per method and ε."""
    return joined("python -m dpcore sweep --summary", *_described(study), f"--output {output}")


def decision_command(judged: ClinicStudy, costs: Costs | None) -> str:
    """The command line that gives the table behind the decision curve."""
    options = _judged(judged)
    if costs is not None:
        options.append(f"--miss-cost {exactly(costs.miss)}")
        options.append(f"--alarm-cost {exactly(costs.false_alarm)}")
    return joined("python -m dpcore decision-curve", *options, "--output decisions.csv")


def group_command(study: GroupStudy) -> str:
    """The command line that gives the table behind the comparison of groups."""
    options = _judged(study.clinic)
    options += [f"--by {exactly(study.column)}", f"--threshold {exactly(study.threshold)}"]
    return joined("python -m dpcore groups", *options, "--output groups.csv")


def curve_command(study: Study, column: str) -> str:
    """The command line that gives the table behind a column's curve."""
    options = [*_described(study), f"--column {exactly(column)}"]
    return joined("python -m dpcore risk-curves", *options, "--output risk_curves.csv")


def hand_command(edited: HandStudy) -> str:
    """The command line that corrects a model by a file of corrections, and judges it."""
    options = [*_described(edited.study), f"--correct {YOUR_CORRECTIONS}"]
    options += [f"--run {edited.run}"] if edited.run != FIRST else []
    return joined("python -m dpcore risk-curves", *options, "--output corrected.csv")


def calibration_command(judged: ClinicStudy) -> str:
    """The command line that gives the table behind the reliability curve."""
    return joined("python -m dpcore calibration", *_judged(judged), "--output calibration.csv")


def _judged(judged: ClinicStudy) -> list[str]:
    corrected = [f"--{CORRECTED.option}"] if judged.corrected else []
    return [*_described(judged.study), *corrected]


def _described(study: Study) -> list[str]:
    parts = []
    if study.upload:
        parts.append(f"--table {YOUR_FILE}")
    if study.columns:
        parts.append(f"--columns {YOUR_COLUMNS}")
    parts += _options(study, "", ALWAYS)
    return parts + _options(study.preparation, "preparation.", ())


def _options(item: Study | Preparation, prefix: str, always: Sequence[str]) -> list[str]:
    """An option for each field that is always named, or differs from the default."""
    default: Study | Preparation = Study() if isinstance(item, Study) else Study.preparation
    parts = []
    for field in fields(item):
        value = getattr(item, field.name)
        if field.name in EXPRESSED_OTHERWISE:
            continue
        if field.name not in always and value == getattr(default, field.name):
            continue
        name = OPTIONS.get(prefix + field.name, field.name.replace("_", "-"))
        if isinstance(value, bool):
            parts.append(f"--{name}" if value else f"--no-{name}")
        else:
            parts.append(f"--{name} {exactly(value)}")
    return parts


def commands(parts: Sequence[Study]) -> str:
    """The command lines that together give the table on screen, one for each part."""
    outputs = ["out.csv"] if len(parts) == 1 else [f"{study.edition}.csv" for study in parts]
    return "\n".join(map(command, parts, outputs))


def snippet(parts: Sequence[Study]) -> str:
    """Python that gives exactly the table on screen."""
    study = parts[0]
    # Fields common to all parts are written once, the rest with each part.
    per_part = [
        field.name
        for field in fields(Study)
        if field.name in PER_PART or len({repr(getattr(part, field.name)) for part in parts}) > 1
    ]
    settings = _arguments(study, per_part)
    lines = [
        "import sys",
        "",
        "import pandas as pd",
        "",
        "import dpcore",
        "",
        *TELLING,
        f"records = {_source(study)}",
        *call("settings = dict", settings),
        "# Noise comes from a seed: for exploration only.",
        "parts = [",
    ]
    for part in parts:
        arguments = ", ".join(f"{name}={getattr(part, name)!r}" for name in per_part)
        lines.append(f"    dpcore.Study({arguments}, **settings),")
    lines += [
        "]",
        "curves = [dpcore.cost(part, records=records, progress=tell) for part in parts]",
        "table = pd.concat(curves, ignore_index=True)",
        "print(table.to_string())",
    ]
    return "\n".join(lines) + "\n"


def _arguments(study: Study, left_out: Collection[str] = ()) -> list[str]:
    shared = {
        name: value
        for name, value in vars(study).items()
        if name not in (*left_out, *EXPRESSED_OTHERWISE)
    }
    arguments = changed(shared, vars(Study()))
    if study.preparation != Study.preparation:
        preparation = ", ".join(changed(vars(study.preparation), vars(Preparation())))
        arguments.append(f"preparation=dpcore.Preparation({preparation})")
    return arguments


def decision_snippet(judged: ClinicStudy, costs: Costs | None) -> str:
    """Python that gives the table behind the decision curve."""
    wanted = ["thresholds=[place / 100 for place in range(1, 100)]"]
    if costs is not None:
        wanted.append(f"costs={(costs.miss, costs.false_alarm)!r}")
    return _judging(judged, wanted)


def calibration_snippet(judged: ClinicStudy) -> str:
    """Python that gives the table behind the reliability curve."""
    return _judging(judged, [f"bins={judged.bins}"])


def group_snippet(study: GroupStudy) -> str:
    """Python that gives the table behind the comparison of groups."""
    wanted = [f"thresholds=[{study.threshold!r}]", f"by={study.column!r}"]
    return _judging(study.clinic, wanted)


def curve_snippet(study: Study, column: str) -> str:
    """Python that gives the table behind a column's curve."""
    return _judging(ClinicStudy(study), [f"curves_of=[{column!r}]"])


def hand_snippet(edited: HandStudy) -> str:
    """Python that corrects a model by hand, and judges it."""
    wanted = [f"by_hand={as_object(edited.corrections)!r}"]
    wanted += [f"run={edited.run}"] if edited.run != FIRST else []
    return _judging(ClinicStudy(edited.study), wanted)


def _judging(judged: ClinicStudy, wanted: list[str]) -> str:
    corrected = ["corrected=True"] if judged.corrected else []
    lines = [
        "import sys",
        "",
        "import dpcore",
        "",
        *TELLING,
        "# Noise comes from a seed: for exploration only.",
        *call("study = dpcore.Study", _arguments(judged.study)),
        f"records = {_source(judged.study)}",
        *call(
            "table = dpcore.explore",
            ["study", "records=records", "progress=tell", *wanted, *corrected],
        ),
        "print(table.to_string())",
    ]
    return "\n".join(lines) + "\n"


def _source(study: Study) -> str:
    arguments = [repr(study.dataset)]
    if study.upload:
        arguments.append(f"file={YOUR_FILE!r}")
    if study.columns:
        arguments.append(f"columns={study.columns!r}")
    if study.records is not None:
        arguments.append(f"records={study.records}")
    return f"dpcore.load({', '.join(arguments)})"
