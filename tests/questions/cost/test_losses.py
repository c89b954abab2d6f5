"""What single models lose: the numbers of Explore's answers, each model at its own ε."""

import pandas as pd
import pytest

from dpcore.errors import Cancelled, InvalidInput
from dpcore.evaluation.study import Study
from dpcore.questions.cost.question import LossQuestion
from dpcore.questions.question import ask
from tests.curves import answers

MODELS = (("outpert", 1.0, 1e-5), ("dpgd", 3.0, 1e-6))
STUDY = Study(dataset="cohort", records=100)


@pytest.mark.slow("trains many models")
def test_each_model_has_the_row_that_answers_give():
    question = LossQuestion(STUDY, MODELS)
    seen = []
    actual = ask(question, progress=lambda share, _: seen.append(share))
    assert seen == sorted(seen)
    assert actual["method"].tolist() == ["outpert", "dpgd"]
    for place, model in enumerate(question.alone):
        wanted = answers(model).reset_index(drop=True)
        one = actual.iloc[[place]].reset_index(drop=True)
        pd.testing.assert_frame_equal(one[wanted.columns], wanted, check_exact=True)


def test_it_is_cancelled_and_named_by_all_of_it():
    question = LossQuestion(STUDY, MODELS)
    with pytest.raises(Cancelled):
        ask(question, cancelled=lambda: True)
    assert LossQuestion(STUDY, MODELS[::-1]).key != question.key


def test_a_model_that_cannot_learn_it_is_refused():
    with pytest.raises(InvalidInput, match="nobody"):
        LossQuestion(STUDY, (*MODELS, ("nobody", 1.0, 1e-5)))
    with pytest.raises(InvalidInput, match="epsilon"):
        LossQuestion(STUDY, (("dpgd", -1.0, 1e-5),))
