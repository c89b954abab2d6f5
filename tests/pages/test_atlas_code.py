"""Atlas's command lines ask for exactly what is on screen."""

from __future__ import annotations

import argparse
import shlex

import pytest

from dpcore.cli import _parser
from dpcore.controls.atlas import FILTERS
from dpcore.controls.control import OneOf
from dpcore.evaluation.models import ModelStudy
from dpcore.export.atlas import list_command, model_command
from dpcore.models.register import register
from dpcore.systems import PAPERS


def parsed(line: str) -> argparse.Namespace:
    words = shlex.split(line)
    assert words[:3] == ["python", "-m", "dpcore"]
    return _parser().parse_args(words[3:])


def values(key: str) -> list[str]:
    kind = FILTERS[key].kind
    assert isinstance(kind, OneOf)
    return list(kind.options())


@pytest.mark.parametrize("paper", values("paper"))
@pytest.mark.parametrize("failures", [False, True])
def test_the_list_is_narrowed_by_paper_and_failures(paper: str, failures: bool) -> None:
    options = parsed(list_command({**FILTERS.first(), "paper": paper, "failures": failures}))
    number = next((key for key, title in PAPERS.items() if title == paper), "")
    assert (options.command, options.paper or "") == ("methods", number)
    assert (options.failures, options.status) == (failures, None)


@pytest.mark.parametrize("verdict", values("verdict"))
def test_the_list_is_narrowed_by_verdict(verdict: str) -> None:
    options = parsed(list_command({**FILTERS.first(), "verdict": verdict}))
    assert (options.status or "All") == verdict
    assert (options.paper, options.failures) == (None, False)


def test_a_search_a_kind_and_implementations_narrow_the_command() -> None:
    narrowed = {"search": "pate", "kind": "synthetic data", "practice": "known to leak"}
    options = parsed(list_command({**FILTERS.first(), **narrowed, "runnable": True}))
    assert (options.search, options.kind) == ("pate", "synthetic data")
    assert (options.implementations, options.runnable) == ("known to leak", True)


@pytest.mark.parametrize("model", register())
def test_the_command_asks_for_the_same_model(model: str) -> None:
    study = ModelStudy(model=model, epsilons=(0.125, 3.0), runs=7)
    options = parsed(model_command(study))
    again = ModelStudy(
        model=options.model,
        dataset=options.dataset,
        epsilons=tuple(map(float, options.epsilon)),
        delta=float(options.delta),
        adjacency=options.adjacency,
        runs=int(options.runs),
    )
    assert again == study
