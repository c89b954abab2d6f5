"""What single models lose: the numbers of Explore's answers, each model at its own ε."""

from dataclasses import replace

import pandas as pd
import pytest

from dpcore.errors import Cancelled, InvalidInput
from dpcore.evaluation.model_loss import LossStudy, loss_study, losses
from dpcore.evaluation.study import Study
from tests.curves import answers

MODELS = (("outpert", 1.0, 1e-5), ("dpgd", 3.0, 1e-6))


@pytest.mark.slow("trains many models")
def test_each_model_has_the_row_that_answers_give():
    study = loss_study("cohort", 100, "zero-out", 0, MODELS)
    seen = []
    actual = losses(study, lambda share, _: seen.append(share))
    assert seen == sorted(seen)
    assert actual["method"].tolist() == ["outpert", "dpgd"]
    for place, model in enumerate(study.models):
        wanted = answers(model).reset_index(drop=True)
        one = actual.iloc[[place]].reset_index(drop=True)
        pd.testing.assert_frame_equal(one[wanted.columns], wanted, check_exact=True)


def test_it_is_cancelled_and_named_by_all_of_it():
    study = loss_study("cohort", 100, "zero-out", 0, MODELS)
    with pytest.raises(Cancelled):
        losses(study, cancelled=lambda: True)
    assert loss_study("cohort", 100, "zero-out", 0, MODELS[::-1]).key != study.key


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(InvalidInput, match="add-remove"):
        loss_study("cohort", 100, "add-remove", 0, MODELS)
    one = Study(dataset="cohort", records=100, methods=("outpert",), epsilons=(1.0,))
    for other in (
        replace(one, records=300),
        replace(one, epsilons=(1.0, 2.0)),
        replace(one, methods=("outpert", "dpgd")),
    ):
        with pytest.raises(ValueError, match="one method at one ε each"):
            LossStudy((one, other))
