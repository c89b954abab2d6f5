"""Plan opens at every combination of its questions and budgets, and again at a reload."""

from itertools import product

import pytest

from dpcore.controls.account import BUDGET, FIND, FIND_BUDGET, QUESTION
from dpcore.controls.control import OneOf
from dpcore.controls.plan import SOLVE
from tests.pages.shown import open_page

pytestmark = pytest.mark.slow("runs whole pages")


def titles(control):
    assert isinstance(control.kind, OneOf)
    return {key: str(control.text(key)) for key in control.kind.options()}


BUDGETS = {BUDGET.key: "2.5", FIND_BUDGET[0].key: "1.5"}
INNER = {"setting": FIND, "run": SOLVE}
QUESTIONS = [
    {QUESTION.key: title} | ({INNER[key].key: inner} if inner else {})
    for key, title in titles(QUESTION).items()
    for inner in (titles(INNER[key]).values() if key in INNER else [""])
]


def opened(link):
    return open_page("plan", **link)


def expect_whole(app):
    assert not app.exception
    assert not app.error


@pytest.mark.parametrize(
    ("asked", "changed"),
    list(product(QUESTIONS, [(), (BUDGET.key,), (FIND_BUDGET[0].key,), tuple(BUDGETS)])),
    ids=lambda value: "-".join(value.values() if isinstance(value, dict) else value) or "none",
)
def test_every_combination_opens(asked, changed):
    app = opened(asked | {key: BUDGETS[key] for key in changed})
    expect_whole(app)
    # Also what was set for another question is drawn: so it stays in the address.
    assert {key: app.text_input(key=key).value for key in changed} == {
        key: BUDGETS[key] for key in changed
    }


def test_the_budgets_of_both_questions_go_along_to_one_run():
    app = opened({})
    app.text_input(key=BUDGET.key).set_value("2.5").run()
    app.segmented_control(key=QUESTION.key).set_value("setting").run()
    app.text_input(key=FIND_BUDGET[0].key).set_value("1.5").run()
    app.segmented_control(key=QUESTION.key).set_value("run").run()
    expect_whole(app)
    app.segmented_control(key=QUESTION.key).set_value("setting").run()
    expect_whole(app)
    assert app.text_input(key=FIND_BUDGET[0].key).value == "1.5"
    assert app.text_input(key=BUDGET.key).value == "2.5"
