"""The rows of the question what privacy costs, before they are made a file."""

from dpcore.datasets import load
from dpcore.progress import silent
from dpcore.questions.cost.question import CostQuestion


def answers(study, records=None):
    """Every method of the study at every ε, with the references."""
    if records is None:
        records = load(study.dataset, records=study.records)
    return CostQuestion(study).rows(records, silent)
