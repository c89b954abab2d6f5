"""The interface of a question: a frozen description, and a way to answer it in any process."""

from __future__ import annotations

from typing import Protocol

from dpcore.evaluation.task import JobContext, Outcome, StudyProtocol, StudyTask


class Question(StudyProtocol, Protocol):
    """A frozen dataclass that pickles; two with one key have one answer."""

    def answer(self, context: JobContext) -> Outcome:
        """Rows, and further files by name.

        Raises
        ------
        Cancelled
            If it was stopped on request.
        InvalidInput
            If it can't be answered; the sentence says why.
        """


def answered(question: Question, context: JobContext) -> Outcome:
    """Answer a question, as a worker does."""
    return question.answer(context)


def task(question: Question, path: str = "") -> StudyTask:
    """The question as a job; `path` is of a file with an upload's records."""
    return StudyTask(question, answered, path)
