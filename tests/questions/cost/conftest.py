"""Answers about breast cancer on three splits."""

import pytest

from dpcore.evaluation.baselines import Baselines
from dpcore.evaluation.clinic.counts import NAME, TreatedCounts
from dpcore.evaluation.curves import against
from dpcore.evaluation.scoring import ACCURACY
from dpcore.evaluation.study import Study
from dpcore.questions.cost.decision import Decision
from dpcore.questions.cost.question import CostQuestion, ReferenceQuestion
from dpcore.work.task import JobContext
from tests.figures.conftest import table, titles  # noqa: F401

STUDY = Study(dataset="breast_cancer", methods=("dpgd",), epsilons=(0.1, 1.0, 10.0), runs=6)
FEW = 3


@pytest.fixture(scope="module", autouse=True)
def few_splits():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dpcore.evaluation.splits.MAX", FEW)
        yield


@pytest.fixture(scope="module")
def reference():
    done = ReferenceQuestion(STUDY).answer(JobContext())
    return Baselines.read(done.rows, ACCURACY), TreatedCounts.read(done.files[NAME])


def answered(study, reference, threshold):
    """What a study of one method says at a threshold."""
    done = CostQuestion(study).answer(JobContext())
    compared, without = reference
    counts = TreatedCounts.read(done.files[NAME])
    return Decision(against(done.rows, compared), counts, compared, without, threshold)
