"""Bank Marketing: does a customer take out a term deposit after a call? UCI id 222, full file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets.schema import Action, Column, Entry, Label, RemoteFile, category, number
from dpcore.datasets.sources import FileSource, Remark, columns_of, field_of, label_field
from dpcore.datasets.text import Layout
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd

_LONGEST_AGO = 1_000.0
"""Days; also stands for "never contacted", which the file writes as -1."""

_FLAG = Column(
    "contacted_before",
    "indicator",
    "was called in an earlier campaign (made from pdays, which is -1 where not)",
)

ENTRY = Entry(
    key="bank",
    title="Bank marketing (Portugal)",
    records_are="customers",
    source="UCI Machine Learning Repository, data set 222; a Portuguese bank, 2008 to 2010",
    licence="CC BY 4.0",
    citation="Moro, S., Rita, P., Cortez, P. (2014). Bank Marketing. UCI Machine Learning "
    "Repository. doi:10.24432/C5K306",
    task="Predict whether a customer takes out a term deposit after being called.",
    action=Action(
        risk=15,
        why="Six calls in vain cost about as much as one lost deposit.",
        cases="buyers",
        acts="call",
        others="others in vain",
    ),
    label=Label(
        "y",
        positive="takes out a term deposit",
        negative="takes out none",
        codes=(("no", -1), ("yes", 1)),
    ),
    records=45_211,
    columns=(
        number("age", "age", (18, 100), "A bank sells term deposits to adults.", "years"),
        category(
            "job",
            "type of job",
            "admin., unknown, unemployed, management, housemaid, entrepreneur, student, "
            "blue-collar, self-employed, retired, technician, services",
        ),
        category(
            "marital", "marital status (divorced includes widowed)", "married, divorced, single"
        ),
        category("education", "highest education", "unknown, secondary, primary, tertiary"),
        Column("default", "indicator", "has credit in default", codes=("no", "yes")),
        number(
            "balance",
            "average yearly balance",
            (-10_000, 100_000),
            "Private accounts: rarely overdrawn by more than 10 000, rarely above 100 000.",
            "euros",
            transform="signed log1p",
        ),
        Column("housing", "indicator", "has a housing loan", codes=("no", "yes")),
        Column("loan", "indicator", "has a personal loan", codes=("no", "yes")),
        category("contact", "how the customer was reached", "unknown, telephone, cellular"),
        number(
            "day",
            "day of the month of the last call",
            (1, 31),
            "A month has at most 31 days.",
            bounds_from="codebook",
        ),
        category(
            "month",
            "month of the last call",
            "jan, feb, mar, apr, may, jun, jul, aug, sep, oct, nov, dec",
        ),
        number(
            "duration",
            "length of the last call",
            (0, 3_600),
            "A sales call lasts less than an hour.",
            "seconds",
            transform="log1p",
            left_out="it is known only once the call is over, and then the answer is known too",
        ),
        number(
            "campaign",
            "calls to this customer in this campaign",
            (1, 50),
            "The last call counts, so at least 1; more than 50 is one every few days all year.",
            transform="log1p",
        ),
        number(
            "pdays",
            "days since the customer was last called in an earlier campaign",
            (0, _LONGEST_AGO),
            "The campaigns ran from May 2008 to November 2010, about 900 days.",
            "days",
        ),
        number(
            "previous",
            "calls before this campaign",
            (0, 50),
            "As for the calls of this campaign.",
            transform="log1p",
        ),
        category("poutcome", "outcome of the earlier campaign", "unknown, other, failure, success"),
        _FLAG,
    ),
    traps=(
        "duration is known only after the call, so it is left out unless asked for.",
        "The word unknown is a level of its own, as the codebook lists it. Counting it as missing "
        "would drop five of six records.",
        "pdays is -1 where the customer was never called before. That becomes contacted_before = "
        f"0, and pdays counts as {spaced(round(_LONGEST_AGO))} days, the far end.",
        "Only 11.7 % say yes, so accuracy starts at 88.3 %: look at the balanced accuracy.",
        "The records are in order of time.",
    ),
    files=(
        RemoteFile(
            "bank/bank-full.csv",
            "d1513ec63b385506f7cfce9f2c5caa9fe99e7ba4e8c3fa264b3aaf0f849ed32d",
            url="https://archive.ics.uci.edu/ml/machine-learning-databases/00222/bank.zip",
            member="bank-full.csv",
            archive_sha256="99d7e8eb12401ed278b793984423915411ea8df099e1795f9fefe254f513fe5e",
        ),
    ),
    how_to_get="It is downloaded from the UCI repository when first asked for (0.6 MB).",
)

_WRITTEN = tuple(column for column in ENTRY.columns if column is not _FLAG)


def _decode(raw: pd.DataFrame) -> pd.DataFrame:
    frame = columns_of(_WRITTEN, raw)
    never = (frame["pdays"] == -1).to_numpy()
    frame["pdays"] = np.where(never, _LONGEST_AGO, frame["pdays"])
    frame[_FLAG.name] = 1.0 - never
    return frame


def _remark(frame: pd.DataFrame) -> tuple[Remark, ...]:
    never = int((frame[_FLAG.name] == 0).sum())
    return (
        Remark(
            "never_contacted",
            never,
            f"{spaced(never)} customers were never called before (pdays -1): contacted_before is "
            f"0, pdays counts as {spaced(round(_LONGEST_AGO))}.",
        ),
    )


SOURCE = FileSource(
    entry=ENTRY,
    layout=Layout(
        fields=(*map(field_of, _WRITTEN), label_field(ENTRY.outcome)),
        separator=";",
        header=True,
    ),
    decode=_decode,
    remark=_remark,
)
