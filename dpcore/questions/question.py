"""A question: a frozen description that says how its fields are asked for, and answers itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from functools import cache, cached_property, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from dpcore.controls.control import Control, Switch
from dpcore.controls.options import exactly, is_flag, read
from dpcore.datasets import Entry, Table, load
from dpcore.evaluation.study import Study
from dpcore.progress import Progress, silent, stoppable
from dpcore.questions.shown import Chosen, Shown
from dpcore.work.task import JobContext, Outcome, StudyTask, digest

if TYPE_CHECKING:
    import pandas as pd

ASK = "ask"
Texts = Sequence[str | None]
"""What is typed for the options of a field, or ``None``."""


@dataclass(frozen=True)
class Ask:
    """How a field is asked for: its controls, of which those with an option stand in the command.

    Parameters
    ----------
    controls : tuple of Control
        Several where one field is typed in several places.
    read : callable, optional
        From the texts of the options to the field; by the control where it is left out.
    written : callable, optional
        From the field to those texts.
    python : callable, optional
        From the field to what a call in Python is given.
    chosen : callable, optional
        From the controls' values on the page to the field; the value itself where it is left out.
    takes : str
        The type of what a function is given for it.
    drawn : bool
        Whether its controls stand beside the question's answer on the page. Elsewhere it is what
        `chosen` says, or its default.
    looks : bool
        Whether it only chooses what is shown of an answer, and so is no part of the key.
    """

    controls: tuple[Control, ...]
    read: Callable[..., Any] | None = None
    written: Callable[[Any], Texts] | None = None
    python: Callable[[Any], object] | None = None
    chosen: Callable[..., Any] | None = None
    takes: str = ""
    drawn: bool = True
    looks: bool = False

    @property
    def options(self) -> list[Control]:
        """The controls that are options of the command."""
        return [control for control in self.controls if control.option]

    def typed(self, texts: Sequence[Any]) -> Any:
        """The field from what is typed for each option."""
        if self.read is not None:
            return self.read(*texts)
        return read(self.options[0], texts[0])

    def told(self, value: Any) -> list[str]:
        """The options that give the field this value."""
        texts = [exactly(value)] if self.written is None else self.written(value)
        return [
            f"--{control.option}" if is_flag(control) else f"--{control.option} {text}"
            for control, text in zip(self.options, texts, strict=True)
            if text is not None
        ]


def asked(*controls: Control, default: Any = MISSING, **how: Any) -> Any:
    """Declare a field by the controls that ask for it, and as `Ask` says how."""
    return field(default=default, metadata={ASK: Ask(controls, **how)})


EVERY_RUN = Control(
    "every_run",
    "Every run",
    Switch(),
    option="every-run",
    brief="one row a run, all trained, in place of one a method and ε",
)


class Asked(NamedTuple):
    """One field, as `Question.asked` lists them."""

    name: str
    default: Any
    ask: Ask


@dataclass(frozen=True)
class Question(ABC):
    """What is asked of a study, in full and without data; two with one key have one answer.

    A subclass is a frozen dataclass that pickles, in the `question.py` of its own folder; its
    fields are declared by `asked`.
    """

    tab: ClassVar[str] = ""
    """Its tab on the page, where it has one."""
    doing: ClassVar[str]
    """What is done while it is worked on."""
    table_is: ClassVar[str]
    """What its table holds."""
    looks: ClassVar[tuple[Control, ...]] = ()
    """Controls of what is shown of its answer on the page."""
    examples: ClassVar[tuple[str, ...]] = ()
    """Options of its command, for the documentation."""
    of_table: ClassVar[bool] = True
    """Whether its records are a table, which a call in Python may be given."""
    is_long: ClassVar[bool] = False
    """Whether answering it may take minutes."""
    study: Any = field(default_factory=Study)
    """What it is asked of."""

    @classmethod
    @cache
    def asked(cls) -> tuple[Asked, ...]:
        """List its own fields."""
        return tuple(
            Asked(each.name, each.default, each.metadata[ASK])
            for each in fields(cls)
            if ASK in each.metadata
        )

    @classmethod
    def controls(cls) -> list[Control]:
        """List the controls of its tab."""
        return [*cls.drawn(looks=False), *cls.drawn(looks=True)]

    @classmethod
    def drawn(cls, *, looks: bool) -> list[Control]:
        """List those of them that only look, or those that begin a job."""
        fields = [each.ask for each in cls.asked() if each.ask.drawn and each.ask.looks is looks]
        own = [control for ask in fields for control in ask.controls]
        return [*own, *cls.looks] if looks else own

    @classmethod
    def named(cls) -> str:
        """Its name: that of its folder."""
        return cls.__module__.split(".")[2]

    @cached_property
    def key(self) -> str:
        """A digest of all but what only looks."""
        looks = {each.name for each in self.asked() if each.ask.looks}
        description = {name: given for name, given in asdict(self).items() if name not in looks}
        return digest({type(self).__name__: description})

    @property
    def title(self) -> str:
        """What is done for which study."""
        return f"{self.doing}: {self.study.title}"

    @property
    def upload(self) -> str:
        """The digest of the file that its records come in."""
        return str(self.study.upload)

    @classmethod
    def among(cls, entry: Entry) -> Mapping[str, Sequence[str]]:
        """Say by key which names of a data set a control offers."""
        return {}

    @classmethod
    def on_page(cls, study: Any, entry: Entry, values: Mapping[str, Any]) -> Self:
        """The question by the values of the page's controls.

        Raises
        ------
        InvalidInput
            If it can't be asked of this study.
        """
        given = {}
        for each in cls.asked():
            chosen = [values.get(control.key) for control in each.ask.controls]
            if each.ask.chosen is not None:
                given[each.name] = each.ask.chosen(*chosen)
            elif each.ask.drawn:
                (given[each.name],) = chosen
        return cls(study, **given)

    def load(self) -> Any:
        """Load the records that it is asked of."""
        return load(self.study.dataset, records=self.study.records)

    def check(self, entry: Entry) -> None:  # noqa: B027 - most have nothing to refuse
        """Refuse what does not fit the data, from public facts alone.

        Raises
        ------
        InvalidInput
            In one sentence.
        """

    @abstractmethod
    def rows(self, records: Any, report: Progress) -> pd.DataFrame:
        """Answer it from the records; `report` raises `Cancelled` where that is wished."""

    def table(self, rows: pd.DataFrame) -> pd.DataFrame:
        """What people get of these rows."""
        return rows

    def beside(self, table: pd.DataFrame) -> dict[str, Any]:
        """What else belongs to its table, as plain data: a note, what is proved."""
        return {}

    def fails(self, rows: pd.DataFrame) -> bool:
        """Say whether its command is to end as failed by what is found."""
        return False

    def shown(self, rows: pd.DataFrame, chosen: Chosen) -> Shown:
        """What its tab shows of these rows, by the `figure.py` beside it; pure and cheap."""
        figure = import_module(f"dpcore.questions.{self.named()}.figure")
        shown: Shown = figure.shown(self, rows, chosen)
        return shown

    def told(self, looked: Mapping[str, Any]) -> Question:
        """The question whose table is on screen, where that is a part of the answer's."""
        return self

    def answer(self, context: JobContext) -> Outcome:
        """Answer it as a job does.

        Raises
        ------
        Cancelled
            If it was stopped on request.
        InvalidInput
            If it can't be answered; the sentence says why.
        """
        report = stoppable(context.report, context.cancelled)
        rows = self.rows(loaded(self, context.records, report), report)
        report(1.0, "done")
        return Outcome(rows)


def ask(
    question: Question,
    *,
    records: Any = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """Answer a question as a table, of records that are loaded where they are not at hand."""
    report = stoppable(progress, cancelled)
    rows = question.rows(_checked(question, records, report, question.load), report)
    report(1.0, "done")
    return question.table(rows)


def loaded(question: Question, records: Table | None, report: Progress) -> Table:
    """The records, loaded where they are not at hand; refuses what does not fit them.

    Those of the last data sets stay in the process, and with them the models learned from them.
    """
    study = question.study

    def load_them() -> Any:
        return _loaded(study.dataset, study.records) if question.of_table else question.load()

    table: Table = _checked(question, records, report, load_them)
    return table


def _checked(
    question: Question, records: Any, report: Progress, load_them: Callable[[], Any]
) -> Any:
    if records is None:
        report(0.0, "loading the data")
        records = load_them()
    question.check(records.entry)
    return records


@lru_cache(maxsize=2)
def _loaded(dataset: str, records: int | None) -> Table:
    return load(dataset, records=records)


def answered(question: Question, context: JobContext) -> Outcome:
    """Answer a question, as a worker does."""
    return question.answer(context)


def task(question: Question, path: str = "") -> StudyTask:
    """The question as a job; `path` is of a file with an upload's records."""
    return StudyTask(question, answered, path, is_long=question.is_long)


def records_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Its rows, each by the names of its columns; empty cells are `None`."""
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]
