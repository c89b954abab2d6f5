"""The controls of Atlas, of `methods` and of `model`: systems to see, and a model to run."""

from __future__ import annotations

from collections.abc import Iterable

from dpcore.controls import common
from dpcore.controls.control import Control, Number, OneOf, Page, Switch, Text, Values
from dpcore.controls.options import written
from dpcore.evaluation.models import ModelStudy
from dpcore.guarantee import STATUS_NAMES
from dpcore.systems import PAPERS, STATUSES, Family, Practice, register

ALL = "All"
MAX_LETTERS = 80


def systems() -> dict[str, str]:
    return {key: system.title for key, system in register().items()}


def _models() -> dict[str, str]:
    from dpcore.models.systems import register

    return {key: model.title for key, model in register().items()}


def _tables() -> dict[str, str]:
    from dpcore.datasets import catalogue

    return {dataset.key: dataset.title for dataset in catalogue()}


def _any_or(titles: Iterable[str], **means: str | None) -> OneOf:
    return OneOf({title: title for title in (ALL, *titles)}, means={ALL: None, **means})


VERDICTS = {str(status): STATUS_NAMES.get(status, str(status)).capitalize() for status in STATUSES}
"""A status by its name in files, and its words on screen."""

SEARCH = Control(
    "search",
    "Search",
    Text(MAX_LETTERS),
    default="",
    placeholder="k-means, Abadi 2016, paper 003 …",
    field="search",
    brief="words that must all occur, e.g. “kmeans” or “Abadi 2016”",
    help="Words that must all occur, in any order: a name, an author, a year, a paper, a package.",
)
SYSTEM = Control(
    "system",
    "Open a system",
    OneOf(systems),
    noun="the system",
    fallback_name="the whole list",
    placeholder="by its name",
    help="Opens one system by its name.",
)
FILTERS = Page(
    SEARCH,
    Control(
        "paper",
        "Paper",
        _any_or(PAPERS.values(), **{title: key for key, title in PAPERS.items()}),
        fallback_name="all papers",
        field="paper",
        brief="only what this paper tells of: 000 to 004, or beside them",
        help="Which of the five papers tells of it. Today's systems stand beside them.",
    ),
    Control(
        "kind",
        "Kind",
        _any_or(map(str, Family)),
        fallback_name="all kinds",
        field="family",
        option="kind",
        brief="only these, e.g. “synthetic data”",
        help="What kind of system it is.",
    ),
    Control(
        "verdict",
        "Verdict on the claim",
        OneOf({ALL: ALL, **VERDICTS}, means={ALL: None}),
        noun="the verdict",
        fallback_name="all verdicts",
        field="status",
        brief="only these, e.g. “described only”",
        help="**Proved**: the promise holds, as printed or in our corrected version. **Conditions "
        "not met**: the theorem needs something that is not there. **Promises too much**: "
        "the claim is refuted, or its proof fails. **Described only**: not checked here.",
    ),
    Control(
        "practice",
        "Implementations",
        _any_or(map(str, Practice)),
        noun="implementations that are",
        fallback_name="all implementations",
        field="practice",
        option="implementations",
        brief="only these, e.g. “known to leak”",
        help="What is known of its programs. A leak in a program says nothing against the theorem.",
    ),
    Control(
        "runnable",
        "Runs here",
        Switch(),
        noun="what runs here",
        fallback_name="everything",
        field="runnable",
        help="Only systems that run here, as described or in our corrected version.",
    ),
    Control(
        "failures",
        "Known failures",
        Switch(),
        noun="known failures",
        fallback_name="everything",
        field="failures",
        help="Only systems with a known failure, of their own or of an implementation. Even a "
        "proved promise may have one.",
    ),
    SYSTEM,
)

FORM = Control(
    "form",
    "What is run",
    OneOf(_models),
    noun="to run",
    fallback_name="the first form",
    field="model",
    brief="its key, as `methods` lists them; default: naive-bayes",
    help="As its authors print it, or in a form that keeps its promise.",
)
LEAF = Control("leaf", "Page", Number(1, len(register()), whole=True), default=1, noun="a page of")
DATA = Control(
    "run_data",
    "Data",
    OneOf(_tables),
    default="breast_cancer",
    noun="the data set",
    fallback_name="the first one",
    field="dataset",
    option="",
    help=common.DATA,
    state="data",
)
DELTAS = {"by rule": None, "1e-3": 1e-3, "1e-4": 1e-4, "1e-5": 1e-5, "1e-6": 1e-6, "1e-8": 1e-8}
DELTA = Control(
    "run_delta",
    "Failure probability δ",
    OneOf({key: key for key in DELTAS}, means=DELTAS),
    noun="δ",
    fallback_name="δ by rule",
    field="delta",
    brief="default: by rule",
    help=f"{common.DELTA} {common.DELTA_RULE}",
)
RUNS = Control(
    "run_runs",
    "Runs",
    OneOf({runs: runs for runs in ("5", "10", "20", "50", "100")}),
    default=str(ModelStudy.runs),
    noun="a number of runs of",
    fallback_name=f"{ModelStudy.runs} runs",
    field="runs",
    brief=f"default: {ModelStudy.runs}",
    help=common.RUNS,
)
NEIGHBOUR = common.adjacency(
    "run_neighbour",
    state="unit",
    fallback_name="the model's own",
    brief="default: the model's own",
    help="What counts as one person's data. It holds for every certified ε.",
)
RUN = Page(DATA, DELTA, RUNS, NEIGHBOUR)
"""A model at work."""

SHARED = (DATA, NEIGHBOUR)
"""The controls of the state that pages share."""


def list_command(values: Values) -> str:
    """The command line of the list of systems."""
    return " ".join(
        ["python -m dpcore methods", *written(FILTERS, FILTERS.fields(values)), "--json"]
    )
