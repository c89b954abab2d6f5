"""A question that is thrown away, in a folder that is elsewhere."""

from importlib import invalidate_caches

import pytest

import dpcore
from dpcore import questions
from dpcore.controls import explore
from dpcore.questions import register

QUESTION = '''
from dataclasses import dataclass
import pandas as pd
from dpcore.controls.control import Control, Number
from dpcore.questions.question import Question, asked

TIMES = Control("times", "How often", Number(1, 9, whole=True), default=2, option="times")

@dataclass(frozen=True)
class SharesQuestion(Question):
    """How large the share of each class is."""

    times: int = asked(TIMES, default=2, takes="int")
    tab = "Shares"
    doing = "Counting"
    table_is = "The share of each class"
    examples = ("--dataset cohort --records 100 --times 3",)

    def rows(self, records, report):
        share = float((records.label > 0).mean()) * self.times
        return pd.DataFrame({"times": [self.times], "share": [share]})

QUESTION = SharesQuestion
'''
FIGURE = """
from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.figures.canvas import add_scatter, canvas
from dpcore.figures.drawn import Drawn
from dpcore.questions.shown import Shown

def shown(question, rows, chosen):
    share = rows["share"].iloc[0]
    figure = canvas(200, chosen.dark)
    add_scatter(figure, x=[0], y=[share])
    sentence = f"{question.times} times the share is {share:.3f}."
    model = ModelAtEpsilon.of(chosen.line.iloc[0])
    return Shown(model, rows, figures=(Drawn(figure, sentence, sentence, ""),))
"""


@pytest.fixture
def shares(tmp_path, monkeypatch):
    """A question in a folder that is elsewhere, with its place on the page."""
    folder = tmp_path / "questions" / "shares"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text('"""How large the share of each class is."""\n')
    (folder / "question.py").write_text(QUESTION)
    (folder / "figure.py").write_text(FIGURE)
    monkeypatch.setattr(questions, "__path__", [*questions.__path__, str(folder.parent)])
    invalidate_caches()
    register.named.cache_clear()
    chip = "For the patients"
    monkeypatch.setitem(explore.CLOSER, chip, (*explore.CLOSER[chip], "Shares"))
    monkeypatch.setitem(explore.VIEW.kind.titles, "Shares", "Shares")
    monkeypatch.setattr("pages.explore.controls.TABS", (*explore.TABS, "Shares"))
    yield register.named("shares")
    register.named.cache_clear()
    vars(dpcore).pop("shares", None)
