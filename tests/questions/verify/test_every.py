"""The table of all that was tried: best attacks, joint confidence, and what was not tried."""

from datetime import datetime

import pandas as pd
import pytest

from dpcore.audit.study import TrialStudy
from dpcore.questions.question import ask
from dpcore.questions.verify import every
from dpcore.questions.verify.every import Try
from dpcore.questions.verify.question import VerifyQuestion

ENDED = datetime(2026, 1, 2, 3, 4)


def tried(question):
    return Try(ask(question), ENDED)


def test_the_best_attack_of_all_tries_stands_and_their_errors_add_up():
    # Three attacks in each try.
    first, second = (
        VerifyQuestion(TrialStudy(method="opera", outputs=100, seed=seed)) for seed in (0, 1)
    )
    other = VerifyQuestion(TrialStudy(method="grpua"))
    tries = [tried(first), tried(second)]
    table = every.table({first: tries, other: []}, {"opera": "OPERA", "grpua": "GRPUA"}).set_index(
        "method"
    )
    attacks = pd.concat([each.rows for each in tries])
    assert len(attacks) == 6
    found = table.loc["OPERA"]
    assert found["attacked"] == attacks["attacked"].max()
    assert found["confidence"] == pytest.approx(0.94)
    assert (found["tries"], found["outputs"]) == (2, 600)
    assert found["tried_at"] == "2026-01-02 03:04"
    assert table.loc["GRPUA", "verdict"] == every.NOT_TRIED
    assert pd.isna(table.loc["GRPUA", "attacked"])


def test_each_promise_is_asked_for_once_and_tried_again_with_other_outputs():
    first = every.first_tries()
    assert len({question.key for question in first}) == len(first)
    assert {question.study.edition for question in first} == {"sound", "published"}
    again = every.further_tries(first[0])
    assert next(again) == first[0]
    assert next(again).study.seed == 1
