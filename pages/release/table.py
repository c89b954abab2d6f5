"""Draw steps 1 and 2: whose records a model is released from, and what one person is in them.

The records stay in place, and the steps go there: made-up patients in the server's own process, a
table of one's own in its confined one. What one person is edits the one description of its columns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import streamlit as st

from dpcore.controls.release import DEMONSTRATION
from dpcore.datasets.encoding import Clipping
from dpcore.datasets.own.description import restated
from dpcore.datasets.own.notation import Person, read
from dpcore.datasets.persons import MAX_ROWS_A_PERSON
from dpcore.datasets.sets.cohort import ENTRY
from dpcore.datasets.text import quoted
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.progress import Progress
from dpcore.release import confined_release, demonstration
from dpcore.release import release as releasing
from dpcore.release.certificate import Record
from dpcore.release.confined_release import MEASUREMENTS, Kind
from dpcore.release.model import entry_of
from dpcore.release.payment import Paid
from dpcore.release.release import Prepared, Released
from dpcore.release.roles import Role
from dpcore.release.table import ReleaseTable, facts, read_for_release
from dpcore.words import spaced
from pages.release import steps
from pages.release.account import MeasurementOrder, ReleaseOrder
from pages.release.steps import ReleaseStep
from pages.server import sign_in, transfers
from pages.shared import own_form, own_table, uploads
from pages.shared.session import control_value, follow, store, stored
from pages.shared.uploads import Upload
from pages.shared.verbatim import verbatim
from pages.shared.widgets import ControlForm

TABLE_IS_BUSY = "A release is under way: the table can be changed after it."
EARLIER_FILE = "The file is still held from before; choose it again to change its columns."
OWN = (
    "A CSV or Parquet file that names its columns. It is read by a process of its own, which keeps "
    "the records; no range may come from them."
)
READING = "Reading the records …"
CHOOSE, DESCRIBE = "choose a file", "say what its columns may hold"
MEND = "mend what is refused"
READ_NEXT = "described, and read once step 2 says what one person is"
ONE_ROW_EACH = "Each person has one row in this table"
WHOSE_ROW, MAX_ROWS = "Column that says whose row it is", "Most rows of one person that count"
WHOSE_HELP = "Nothing is learned from it, so it must not be described as well."
MAX_ROWS_HELP = "Of more, lots choose. A person weighs as much as one row, whatever this is."
SAY_PERSON = "say what one person is"
ONE_PERSON = "one row is one person; {difference}"
ONE_PERSON_ROWS = "one person has at most {most} rows, by {column}; {difference}"
PROMISE = "ε is a promise about one row: of a person with several it protects each by itself only."
PROMISE_ROWS = "ε is a promise about all rows of one person together."
NUMBER_IS_PUBLIC = "The number of persons counts as public, as it divides each sum."
LOOK_SECONDS = 0.2
ONE_ROW, WHOSE, MAX = "release_one_row", "release_person", "release_person_rows"
USUAL_ROWS = 3
RECORDS = "release held"


class ChosenTable(Protocol):
    """A table of which the page knows what is public alone."""

    @property
    def title(self) -> str:
        """Title in words, such as "made-up patients"."""

    @property
    def columns(self) -> str:
        """Description of the columns."""

    @property
    def count(self) -> int:
        """Number of persons."""

    @property
    def clipping(self) -> Clipping:
        """Count values outside the ranges, which the owner alone may know."""

    def prepare(
        self, order: ReleaseOrder, progress: Progress, cancelled: Callable[[], bool]
    ) -> None:
        """Prepare as `dpcore.release.release.prepare`."""

    def pay(self, order: ReleaseOrder) -> None:
        """Pay for what was prepared, as `dpcore.release.release.pay`."""

    def train(self, progress: Progress) -> Released:
        """Train what was paid, as `dpcore.release.release.train`."""

    def prepare_measurement(
        self, order: MeasurementOrder, progress: Progress, cancelled: Callable[[], bool]
    ) -> None:
        """Prepare as `prepare` of one of `confined_release.MEASUREMENTS`."""

    def pay_measurement(self, order: MeasurementOrder) -> None:
        """Pay for what was prepared."""

    def measure(self, kind: Kind, progress: Progress) -> Any:
        """Measure what was paid."""


@dataclass
class MadeUp:
    """The demonstration's patients, who are nobody, in the server's own process."""

    title: str = "made-up patients"
    columns: str = field(default_factory=demonstration.columns)
    count: int = ENTRY.records
    clipping: Clipping = field(default_factory=Clipping)
    _prepared: Prepared | None = None
    _paid: Paid[Prepared] | None = None
    _prepared_by_kind: dict[Kind, Any] = field(default_factory=dict)
    _paid_by_kind: dict[Kind, Paid[Any]] = field(default_factory=dict)

    def prepare(
        self, order: ReleaseOrder, progress: Progress, cancelled: Callable[[], bool]
    ) -> None:
        self._prepared = releasing.prepare(
            order.plan,
            self._table(),
            about=order.about,
            ledger=order.account.ledger,
            data_set=order.account.data_set,
            actor=order.actor,
            progress=progress,
            cancelled=cancelled,
        )

    def pay(self, order: ReleaseOrder) -> None:
        assert self._prepared is not None
        self._paid = releasing.pay(self._prepared, order.account.ledger)

    def train(self, progress: Progress) -> Released:
        assert self._paid is not None
        return releasing.train(self._paid, progress=progress)

    def prepare_measurement(
        self, order: MeasurementOrder, progress: Progress, cancelled: Callable[[], bool]
    ) -> None:
        self._prepared_by_kind[order.kind] = MEASUREMENTS[order.kind].prepare(
            order.plan,
            self._table(),
            ledger=order.account.ledger,
            data_set=order.account.data_set,
            actor=order.actor,
            progress=progress,
            cancelled=cancelled,
        )

    def pay_measurement(self, order: MeasurementOrder) -> None:
        prepared = self._prepared_by_kind[order.kind]
        self._paid_by_kind[order.kind] = MEASUREMENTS[order.kind].pay(
            prepared, order.account.ledger
        )

    def measure(self, kind: Kind, progress: Progress) -> Any:
        return MEASUREMENTS[kind].measure(self._paid_by_kind[kind], progress=progress)

    def _table(self) -> ReleaseTable:
        return read_for_release(self.columns, demonstration.table(), demonstration.FILE)


@dataclass(frozen=True)
class Uploaded:
    """A table of one's own, in its confined process, which pays and trains."""

    upload: Upload
    columns: str
    count: int
    clipping: Clipping

    @property
    def title(self) -> str:
        return f"{Record.of(self.columns).noun} of {quoted(self.upload.filename)}"

    def prepare(
        self, order: ReleaseOrder, progress: Progress, cancelled: Callable[[], bool]
    ) -> None:
        progress(0.0, "Reading the records, attacking the noise")
        account = order.account
        self.upload.ask(
            *(
                confined_release.prepare,
                order.plan,
                order.about,
                account.place,
                account.data_set,
                order.actor,
            )
        )

    def pay(self, order: ReleaseOrder) -> None:
        self.upload.ask(confined_release.pay, order.account.place)

    def train(self, progress: Progress) -> Released:
        self.upload.ask(confined_release.train)
        released: Released = self._wait_for(progress, confined_release.trained)
        return released

    def prepare_measurement(
        self, order: MeasurementOrder, progress: Progress, cancelled: Callable[[], bool]
    ) -> None:
        progress(0.0, "Counting the records, attacking the noise")
        account = order.account
        self.upload.ask(
            *(
                confined_release.prepare_measurement,
                order.kind,
                order.plan,
                account.place,
                account.data_set,
                order.actor,
            )
        )

    def pay_measurement(self, order: MeasurementOrder) -> None:
        self.upload.ask(confined_release.pay_measurement, order.kind, order.account.place)

    def measure(self, kind: Kind, progress: Progress) -> Any:
        self.upload.ask(confined_release.measure, kind)
        return self._wait_for(progress, confined_release.measured, kind)

    def _wait_for(self, progress: Progress, state: Callable[..., Any], *given: Kind) -> Any:
        while True:
            share, doing, result = self.upload.ask(state, *given)
            progress(share, doing)
            if result is not None:
                return result
            time.sleep(LOOK_SECONDS)


def _refusal_of(columns: str) -> InvalidInput | None:
    try:
        facts(columns)
    except InvalidInput as refused:
        return refused
    return None


def draw_person(form: ControlForm, records: ChosenTable | None, *, is_own: bool) -> ReleaseStep:
    columns = records.columns if records is not None else (stored(own_form.COLUMNS) or "").strip()
    is_described = not is_own or own_table.is_settled(columns)
    person = read(columns).person if is_described else None
    if is_own and is_described:
        _ask(columns, person)
    adjacency = Adjacency(form.draw("release_unit"))
    if not is_described:
        st.caption(PROMISE)
        return ReleaseStep("not possible yet", steps.FIRST_COMES_FIRST)
    has_rows = person is not None and person.column
    st.caption(f"{PROMISE_ROWS if has_rows else PROMISE} {NUMBER_IS_PUBLIC}")
    if person is None:
        return ReleaseStep("to do", SAY_PERSON)
    if (refused := _refusal_of(columns)) is not None:
        own_form.tell(refused)
        return ReleaseStep("to do", SAY_PERSON)
    text = ONE_PERSON_ROWS if person.column else ONE_PERSON
    column = verbatim(person.column)
    return ReleaseStep(
        "done", text.format(most=person.most, column=column, difference=adjacency.difference)
    )


def _ask(columns: str, person: Person | None) -> None:
    follow(ONE_ROW, person == Person())
    if st.checkbox(ONE_ROW_EACH, key=ONE_ROW, on_change=_say, args=(columns,)):
        return
    described = {field.name for field in read(columns).fields}
    names = [name for name in own_table.describable_columns() if name not in described]
    if person is not None:
        follow(WHOSE, person.column)
        follow(MAX, person.most)
        names = list(dict.fromkeys([person.column, *names]))
    elif control_value(MAX) is None:
        follow(MAX, USUAL_ROWS)
    with st.container(horizontal=True):
        st.selectbox(
            WHOSE_ROW,
            names,
            index=None,
            key=WHOSE,
            placeholder="Choose or type a column",
            help=WHOSE_HELP,
            accept_new_options=True,
            on_change=_say,
            args=(columns,),
            width=300,
        )
        st.number_input(
            MAX_ROWS,
            1,
            MAX_ROWS_A_PERSON,
            key=MAX,
            help=MAX_ROWS_HELP,
            on_change=_say,
            args=(columns,),
            width=300,
        )


def _say(columns: str) -> None:
    whose = (control_value(WHOSE) or "").strip()
    person: Person | None = None
    if control_value(ONE_ROW):
        person = Person()
    elif whose:
        person = Person(whose, int(control_value(MAX) or USUAL_ROWS))
    # The description may have been edited since the fields were drawn.
    edited = (control_value(own_form.COLUMNS) or columns).strip()
    own_form.describe(restated(edited, person))


def draw_table(form: ControlForm, *, is_busy: bool) -> tuple[ChosenTable | None, ReleaseStep]:
    """Draw the step; returns the records, once they are described and read.

    While a release is under way (`is_busy`) they are left alone.
    """
    if form.draw("release_table") == DEMONSTRATION:
        records = MadeUp()
        st.code(records.columns, language="yaml", wrap_lines=True)
        return records, _done(records)
    stored_records: Uploaded | None = stored(RECORDS)
    if stored_records is not None and stored_records.upload.closed:
        store(RECORDS, stored_records := None)
    if is_busy:
        st.caption(TABLE_IS_BUSY)
        return stored_records, ReleaseStep("to do", CHOOSE) if stored_records is None else _done(
            stored_records
        )
    may_release = not isinstance(sign_in.allowed(Role.ANALYST), str)
    file, columns = own_table.controls(transfers.LARGE if may_release else transfers.SMALL)
    if file is None and stored_records is not None and stored_records.columns == columns:
        st.caption(EARLIER_FILE)
        return stored_records, _done(stored_records)
    if file is None:
        st.caption(OWN)
        return None, ReleaseStep("to do", CHOOSE)
    if not own_table.is_settled(columns):
        own_table.how_to(columns, file)
        return None, ReleaseStep("to do", DESCRIBE)
    try:
        entry_of(columns)
        if _refusal_of(columns) is not None:
            return None, ReleaseStep("done", READ_NEXT)
        upload = uploads.release(columns, file)
        with st.spinner(READING, show_time=True):
            count: int = upload.answer("", None)
            clipping: Clipping = upload.answer("clipping", confined_release.clipping)
    except InvalidInput as refusal:
        own_table.refused(columns, file, refusal)
        return None, ReleaseStep("to do", MEND)
    read = Uploaded(upload, columns, count, clipping)
    store(RECORDS, read)
    return read, _done(read)


def _done(records: ChosenTable) -> ReleaseStep:
    return ReleaseStep("done", verbatim(f"{spaced(records.count)} {records.title}"))
