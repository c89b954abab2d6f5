"""What Explore draws once: the same object for the same rows, another for others."""

from dataclasses import replace

import pytest

from pages.explore import controls, view


@pytest.fixture(scope="module")
def contents():
    return view.gather(replace(controls.first_choice(), left_out=()))


@pytest.mark.slow("runs whole pages, which wait for jobs")
@pytest.mark.parametrize(
    "change",
    [
        lambda one: {"everything": one.everything.assign(splits=one.everything["splits"] + 1)},
        lambda one: {"table": one.table.assign(splits=one.table["splits"] + 1)},
        lambda one: {"everything": one.everything[one.everything["method"] != one.methods[0]]},
        lambda one: {"is_compared": not one.is_compared},
        lambda one: {"study": replace(one.study, seed=one.study.seed + 1)},
    ],
)
def test_other_rows_are_other_contents(contents, change):
    assert replace(contents, **change(contents)).contents != contents.contents


def test_the_same_rows_are_the_same_contents(contents):
    again = replace(contents, table=contents.table.copy(), everything=contents.everything.copy())
    assert again.contents == contents.contents


@pytest.mark.parametrize("kind", ["objective", "excess"])
def test_a_figure_is_drawn_anew_with_the_rows_of_more_splits(contents, kind):
    first = view.figure(kind, contents, 1.0)
    assert view.figure(kind, contents, 1.0) is first
    judged = {
        name: getattr(contents, name).assign(splits=contents.table["splits"].max() + 1)
        for name in ("table", "everything")
    }
    assert view.figure(kind, replace(contents, **judged), 1.0) is not first
