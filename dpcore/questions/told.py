"""A question as the command line and the Python that give its table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any, NamedTuple

from dpcore.accounting.elsewhere import StatementStudy
from dpcore.audit.study import EVERY, CourtStudy, TrialStudy
from dpcore.controls.atlas import FORM, RUN
from dpcore.controls.describe import TABLE
from dpcore.controls.explore import CONTROLS, EPSILON, TYPED
from dpcore.controls.options import exactly, written
from dpcore.datasets import Preparation
from dpcore.evaluation.models import ModelStudy
from dpcore.evaluation.study import Study
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.questions import command_of
from dpcore.questions.describe.question import DescribeQuestion
from dpcore.questions.lines import TELLING, call, changed, joined, packed
from dpcore.questions.question import Question
from dpcore.questions.survival.question import SurvivalQuestion
from dpcore.questions.training import told as training
from dpcore.summaries.study import TableStudy

OPTIONS = {
    **{control.field: control.option for control in (*CONTROLS, *TYPED) if control.option},
    "epsilons": EPSILON.option,
}
"""Options of the command line by field, where the names differ."""
# The command line spells a preparation out and takes an upload as a file, and the snippet does so
# in its own way; it names some fields for every part.
EXPRESSED_OTHERWISE = ("preparation", "upload", "columns")
YOUR_FILE, YOUR_COLUMNS = "your_file.csv", "columns.yaml"
NOISE = "# Noise comes from a seed: for exploration only."
BY_SIZE = {"delta": None}
"""What a study sets by a rule in its number of records, so that another's is no default."""
ALWAYS = ("dataset", "loss", "methods", "edition", "epsilons", "adjacency", "runs", "seed")


def command(question: Question, output: str = "") -> str:
    """The command line that gives its table, of records at hand under the names of `YOUR_FILE`."""
    name, own = question.named(), _own_options(question)
    output = f"--output {output or f'{name}.csv'}"
    described = PARTS[type(question.study)].options(question.study)
    return joined(f"python -m dpcore {command_of(name)}", *described, *own, output)


def _own_options(question: Question) -> list[str]:
    """What is asked beside the study, as options."""
    return [
        option
        for each in question.asked()
        if (value := getattr(question, each.name)) != each.default and each.ask.options
        for option in each.ask.told(value)
    ]


def publishing(question: DescribeQuestion | SurvivalQuestion, epsilon: float) -> str:
    """The command line that pays for such a table of one's own at one ε, and writes it."""
    budget = f"--epsilon {exactly(epsilon)} --delta {exactly(question.study.delta)}"
    return joined(
        "python -m dpcore publish",
        f"--table {YOUR_FILE}",
        f"--columns {YOUR_COLUMNS}",
        '--ledger ledger.db --data-set "your data set" --actor "your name"',
        budget,
        *_own_options(question),
        "--output table",
    )


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


def commands(parts: Sequence[Question]) -> str:
    """The command lines that together give the table on screen, one for each part."""
    one = len(parts) == 1
    return "\n".join(command(part, "" if one else f"{part.study.edition}.csv") for part in parts)


def snippet(*parts: Question) -> str:
    """Python that gives its table; of several parts of one table, all together."""
    first = parts[0]
    arguments = ["study", *_own_arguments(first), "progress=tell"]
    function = f"dpcore.{first.named()}"
    lines = ["import sys", "", "import dpcore", "", *TELLING]
    made = PARTS[type(first.study)].python(first.study)
    if first.of_table:
        arguments.insert(-1, "records=records")
        lines += [f"columns = {first.study.columns!r}"] if first.study.columns else []
        lines += [f"records = {_source(first.study)}", NOISE]
    if len(parts) == 1:
        lines += [*made, *call(f"table = {function}", arguments)]
    else:
        lines[2:2] = ["import pandas as pd", ""]
        lines += [*_several([part.study for part in parts]), "tables = ["]
        lines += [f"    {function}({', '.join(arguments)}) for study in studies", "]"]
        lines += ["table = pd.concat(tables, ignore_index=True)"]
    return "\n".join([*lines, "print(table.to_string())"]) + "\n"


def _several(studies: Sequence[Study]) -> list[str]:
    """Studies whose common fields are written once, the rest with each."""
    differing = [
        field.name
        for field in fields(Study)
        if len({repr(getattr(study, field.name)) for study in studies}) > 1
    ]
    lines = [*call("settings = dict", _arguments(studies[0], differing)), "studies = ["]
    for study in studies:
        own = ", ".join(f"{name}={getattr(study, name)!r}" for name in differing)
        lines.append(f"    dpcore.Study({own}, **settings),")
    return [*lines, "]"]


def _own_arguments(question: Question) -> list[str]:
    arguments = []
    for name, default, ask in question.asked():
        value: Any = getattr(question, name)
        if default is MISSING or value != default:
            arguments.append(f"{name}={(value if ask.python is None else ask.python(value))!r}")
    return arguments


def _arguments(study: Study, left_out: Collection[str] = ()) -> list[str]:
    shared = {
        name: value
        for name, value in vars(study).items()
        if name not in (*left_out, *EXPRESSED_OTHERWISE)
    }
    arguments = changed(shared, vars(Study()))
    arguments += ["columns=columns"] if study.columns else []
    if study.preparation != Study.preparation:
        preparation = ", ".join(changed(vars(study.preparation), vars(Preparation())))
        arguments.append(f"preparation=dpcore.Preparation({preparation})")
    return arguments


def _source(study: Study | ModelStudy | TableStudy) -> str:
    arguments = [repr(study.dataset)]
    if study.upload:
        arguments.append(f"file={YOUR_FILE!r}")
    if study.columns:
        arguments.append("columns=columns")
    if study.records is not None and not study.upload:
        arguments.append(f"records={study.records}")
    return f"dpcore.load({', '.join(arguments)})"


def _options_of_model(study: ModelStudy) -> list[str]:
    files = [f"--table {YOUR_FILE}", f"--columns {YOUR_COLUMNS}"] if study.upload else []
    epsilons = f"--epsilon {exactly(study.epsilons)}"
    return [f"--dataset {study.dataset}", *files, epsilons, *written((FORM, *RUN), vars(study))]


def _options_of_summary(study: TableStudy) -> list[str]:
    files = [f"--table {YOUR_FILE}", f"--columns {YOUR_COLUMNS}"] if study.upload else []
    size = [f"--records {study.records}"] if study.records and not study.upload else []
    epsilons = f"--epsilon {exactly(study.epsilons)}"
    return [f"--dataset {study.dataset}", *files, *size, epsilons, *written(TABLE, vars(study))]


def _python_of_summary(study: TableStudy) -> list[str]:
    own = {name: value for name, value in vars(study).items() if name not in ("upload", "columns")}
    columns = ["columns=columns"] if study.columns else []
    usual = vars(TableStudy()) | BY_SIZE
    return call("study = dpcore.TableStudy", [*changed(own, usual), *columns])


def _python_of_model(study: ModelStudy) -> list[str]:
    usual = vars(ModelStudy(model=study.model)) | BY_SIZE
    return call("study = dpcore.ModelStudy", [repr(study.model), *changed(vars(study), usual)])


def _options_of_trial(study: TrialStudy | CourtStudy) -> list[str]:
    usual = vars(type(study)())
    return [
        "--all" if value == EVERY else f"--{name.replace('_', '-')} {exactly(value)}"
        for name, value in vars(study).items()
        if name == "method" or value != usual[name]
    ]


def _python_of_trial(study: TrialStudy | CourtStudy) -> list[str]:
    name, usual = type(study).__name__, type(study)()
    return call(f"study = dpcore.{name}", changed(vars(study), vars(usual)))


class Part(NamedTuple):
    """How what a question is asked of is told."""

    options: Callable[[Any], list[str]]
    python: Callable[[Any], list[str]]


PARTS: Mapping[type, Part] = {
    Study: Part(_described, lambda study: call("study = dpcore.Study", _arguments(study))),
    ModelStudy: Part(_options_of_model, _python_of_model),
    TableStudy: Part(_options_of_summary, _python_of_summary),
    TrialStudy: Part(_options_of_trial, _python_of_trial),
    CourtStudy: Part(_options_of_trial, _python_of_trial),
    StatementStudy: Part(
        lambda study: [f"--history {exactly(study.history)}"],
        lambda study: [f"study = dpcore.StatementStudy({study.history!r})"],
    ),
    TrainingStudy: Part(lambda study: packed(training.options(study)), training.python),
}
"""Each by its type."""
