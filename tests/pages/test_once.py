"""What Explore draws once: the same object for the same rows, another for others."""

from dataclasses import replace

import pytest

from dpcore.evaluation.study import Study
from pages.explore import controls, view
from tests.pages.explored import gathered, only_methods

pytestmark = [
    pytest.mark.usefixtures("alone_together", "jobs_at_once"),
    pytest.mark.slow("waits for jobs"),
]


@pytest.fixture
def contents(monkeypatch):
    only_methods(monkeypatch, "opera")
    study = Study("cohort", records=100, methods=("nonprivate", "dpgd"), runs=10)
    return gathered(replace(controls.first_choice(), study=study))


@pytest.mark.parametrize(
    "change",
    [
        lambda one: {"everything": one.everything.assign(method="opera")},
        lambda one: {"table": one.table.assign(edition="published")},
        lambda one: {"focus": "dpgd"},
        lambda one: {"decision": replace(one.decision, threshold=0.5)},
        lambda one: {"study": replace(one.study, seed=one.study.seed + 1)},
    ],
)
def test_what_is_drawn_otherwise_has_another_name(contents, change):
    assert replace(contents, **change(contents)).contents != contents.contents


def test_the_same_rows_are_drawn_once(contents):
    again = replace(contents, table=contents.table.copy(), everything=contents.everything.copy())
    assert again.contents == contents.contents
    first = view.noise_figures(contents, 1.0)
    assert view.noise_figures(again, 1.0) is first
    assert view.noise_figures(again, 2.0) is not first
