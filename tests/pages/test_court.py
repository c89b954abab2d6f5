"""The library court on its page: a card a case, and a case that is tried when it is opened."""

import re

import pytest

from dpcore.audit.court import cases
from dpcore.audit.study import CourtStudy
from dpcore.questions.court.question import CourtQuestion, told
from dpcore.questions.question import ask
from dpcore.questions.told import command
from dpcore.questions.verify.question import records_of
from tests.pages.shown import numbers, open_page, said, with_table
from tests.pages.waiting import until

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]
LINK = {"on_trial": "Libraries"}


def test_every_case_has_a_card_and_none_is_tried_before_it_is_opened():
    app = open_page("atlas", **LINK)
    assert not app.warning
    assert len(re.findall("not tried here yet", said(app))) == len(cases())
    for case in cases().values():
        assert case.wrong in said(app)
        assert f"]({case.link})" in said(app)


def test_a_case_is_tried_when_it_is_opened_and_then_stands_in_the_gallery():
    case = cases()["paper-004"]
    app = open_page("atlas", **LINK, case=case.title)
    until(lambda: "Refuted at 99 %" in said(app), app)
    question = CourtQuestion(CourtStudy(case.key), mended=True)
    (row,) = records_of(ask(question))
    assert told(row) in said(app)
    assert numbers(app)["Claimed ε"] == "1"
    assert numbers(app)["Mended"] == "0"
    assert command(question) in [each.value for each in with_table(app, "court_paper-004").code]
    next(each for each in app.button if each.label == "All cases").click()
    app.run()
    assert len(re.findall("not tried here yet", said(app))) == len(cases()) - 1
    assert said(app).count(":red-badge[refuted]") == 1


def test_a_trial_shows_its_replay():
    app = open_page("atlas", tried="DP-GD", tried_noise="Half")
    until(lambda: "one record moves what noise is added to" in said(app), app)
