"""Atlas's command lines and links ask for exactly what is on screen."""

import shlex

import pytest

from dpcore.cli import _parser
from dpcore.controls.atlas import FILTERS, list_command
from dpcore.controls.control import OneOf
from dpcore.evaluation.models import ModelStudy
from dpcore.models.systems import register
from dpcore.questions.model.question import ModelQuestion
from dpcore.questions.told import command
from dpcore.systems import PAPERS, Place, Relation, Runnable
from pages.atlas.cards import link_to_run


def parsed(line):
    words = shlex.split(line.replace("\\\n", " "))
    assert words[:3] == ["python", "-m", "dpcore"]
    return _parser().parse_args(words[3:])


def values(key):
    kind = FILTERS[key].kind
    assert isinstance(kind, OneOf)
    return list(kind.options())


@pytest.mark.parametrize("paper", values("paper"))
@pytest.mark.parametrize("failures", [False, True])
def test_the_list_is_narrowed_by_paper_and_failures(paper, failures):
    options = parsed(list_command({**FILTERS.first(), "paper": paper, "failures": failures}))
    number = next((key for key, title in PAPERS.items() if title == paper), "")
    assert (options.command, options.paper or "") == ("methods", number)
    assert (options.failures, options.status) == (failures, None)


@pytest.mark.parametrize("verdict", values("verdict"))
def test_the_list_is_narrowed_by_verdict_and_all_else(verdict):
    narrowed = {"search": "pate", "kind": "synthetic data", "practice": "known to leak"}
    narrowed |= {"verdict": verdict, "runnable": True}
    options = parsed(list_command({**FILTERS.first(), **narrowed}))
    assert (options.status or "All") == verdict
    assert (options.search, options.kind) == ("pate", "synthetic data")
    assert (options.implementations, options.runnable) == ("known to leak", True)


@pytest.mark.parametrize("model", register())
def test_the_command_asks_for_the_same_model(model):
    study = ModelStudy(model=model, epsilons=(0.125, 3.0), runs=7)
    options = parsed(command(ModelQuestion(study)))
    again = ModelStudy(
        model=options.model,
        dataset=options.dataset,
        epsilons=tuple(map(float, options.epsilon.split(","))),
        delta=float(options.delta),
        adjacency=options.adjacency,
        runs=int(options.runs),
    )
    assert again == study


def test_a_search_in_the_command_line_is_text_and_no_command():
    command = list_command({**FILTERS.first(), "search": "gan `id` $(id) \"x\" 'y'"})
    assert shlex.split(command)[3:] == ["methods", "--search", "gan `id` $(id) \"x\" 'y'", "--json"]
    assert "'gan `id`" in command


def test_a_route_to_explore_shows_what_is_printed_only_where_something_is():
    assert link_to_run(Runnable(Place.EXPLORE, "grpua")).settings["edition"] == "As in the paper"
    # The sound edition is the usual one.
    assert "edition" not in link_to_run(Runnable(Place.EXPLORE, "dpgd")).settings
    sound = Runnable(Place.EXPLORE, "grpua", Relation.SOUND)
    assert "edition" not in link_to_run(sound).settings
