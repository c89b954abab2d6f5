"""The controls of Atlas, of `methods` and of `model`: systems to see, and a model to run."""

from __future__ import annotations

from collections.abc import Iterable

from dpcore.controls import common
from dpcore.controls.control import Control, Number, OneOf, Page, Switch, Text
from dpcore.evaluation.models import ModelStudy
from dpcore.systems import PAPERS, STATUSES, Family, register

ALL = "All"
MOST_LETTERS = 80


def systems() -> dict[str, str]:
    """Key to title of every system."""
    return {key: system.title for key, system in register().items()}


def _models() -> dict[str, str]:
    from dpcore.models.register import register

    return {key: model.title for key, model in register().items()}


def _tables() -> dict[str, str]:
    from dpcore.datasets import catalogue

    return {dataset.key: dataset.title for dataset in catalogue()}


def _any_or(titles: Iterable[str], **means: str | None) -> OneOf:
    return OneOf({title: title for title in (ALL, *titles)}, means={ALL: None, **means})


SEARCH = Control(
    "search",
    "Search",
    Text(MOST_LETTERS),
    default="",
    placeholder="k-means, Abadi, synthetic …",
    help="Beginnings of words that must all occur: in name, authors, kind, or what it does.",
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
        _any_or(PAPERS.values(), **{title: key or None for key, title in PAPERS.items()}),
        fallback_name="all papers",
        field="paper",
        brief="only what this paper tells of: 000 to 004",
        help="Which of the five papers tells of it; what is done today stands beside them.",
    ),
    Control(
        "kind",
        "Kind",
        _any_or(map(str, Family)),
        fallback_name="all kinds",
        help="What kind of system it is.",
    ),
    Control(
        "verdict",
        "Verdict",
        _any_or(map(str, STATUSES)),
        fallback_name="all verdicts",
        field="status",
        brief="only these, e.g. “described only”",
        help="**Proved**: the promise holds, of what is printed or only of our form of it; each "
        "card says which. **Conditions not met**: the theorem needs something that is not there. "
        "**Claim not supported**: the noise does not give what is claimed. **Described only**: "
        "nothing of it is checked or run here.",
    ),
    Control(
        "runnable",
        "Runs here",
        Switch(),
        noun="what runs here",
        fallback_name="everything",
        help="Only systems that can be run here, as described or in a sound form.",
    ),
    Control(
        "failures",
        "Known failures",
        Switch(),
        noun="known failures",
        fallback_name="everything",
        field="failures",
        help="Only systems of which it is known that something went wrong, in them or in their "
        "implementations; also where the promise itself is proved.",
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
    brief="'list' for all of them",
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
    fallback_name="the model's own",
    brief="default: the model's own",
    help="What counts as one person's difference. One adjacency holds for every certified ε.",
)
RUN = Page(DATA, DELTA, RUNS, NEIGHBOUR)
"""A model at work."""
