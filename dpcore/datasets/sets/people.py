"""Tables of people as a census or a bank knows them.

- Adult (Census Income): does a person earn more than 50,000 dollars a year? UCI id 2.
- Bank Marketing: does a customer take out a term deposit after a call? UCI id 222, full file.
- IPUMS-BR: Brazilian census microdata as papers on private learning use them. The user provides the
  file, which may not be passed on, in the format of Lee and Kifer (KDD 2018): integers separated by
  blanks, no header, 53 columns, the last one the label, and no codebook.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets.schema import Action, Column, Entry, Label, RemoteFile, category, number
from dpcore.datasets.sources import FileSource, Remark, columns_of, field_of, fields_of, label_field
from dpcore.datasets.text import Layout
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd


_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/"

_ADULT = Entry(
    key="adult",
    title="Adult (US census income)",
    records_are="people",
    source="UCI Machine Learning Repository, data set 2; drawn from the US census of 1994",
    licence="CC BY 4.0",
    citation="Becker, B., Kohavi, R. (1996). Adult. UCI Machine Learning Repository. "
    "doi:10.24432/C5XW20",
    task="Predict whether a person earns more than $50 000 a year.",
    action=Action(cases="high earners", acts="take", others="others for one"),
    label=Label(
        "income",
        positive="more than $50 000 a year",
        negative="at most $50 000 a year",
        codes=(("<=50K", -1), (">50K", 1), ("<=50K.", -1), (">50K.", 1)),
    ),
    records=48_842,
    columns=(
        number(
            "age",
            "age",
            (17, 100),
            "The extraction rule in adult.names keeps ages above 16; nobody in a "
            "household survey is expected to be over 100.",
            "years",
            bounds_from="codebook",
        ),
        category(
            "workclass",
            "who the person works for",
            "Private, Self-emp-not-inc, Self-emp-inc, Federal-gov, Local-gov, State-gov, "
            "Without-pay, Never-worked",
            missing_marks=("?",),
        ),
        number(
            "fnlwgt",
            "survey weight: how many people this record stands for",
            (0, 1_000_000),
            "A weight of a million people would be one record for every 250 "
            "Americans; weights are far smaller.",
            bounds_from="assumed",
            left_out="it is a weight of the survey, not a property of the person",
        ),
        category(
            "education",
            "highest education",
            "Bachelors, Some-college, 11th, HS-grad, Prof-school, Assoc-acdm, Assoc-voc, 9th, "
            "7th-8th, 12th, Masters, 1st-4th, 10th, Doctorate, 5th-6th, Preschool",
        ),
        number(
            "education-num",
            "highest education as a rank",
            (1, 16),
            "The rank of the 16 levels of education.",
            bounds_from="codebook",
        ),
        category(
            "marital-status",
            "marital status",
            "Married-civ-spouse, Divorced, Never-married, Separated, Widowed, "
            "Married-spouse-absent, Married-AF-spouse",
        ),
        category(
            "occupation",
            "occupation",
            "Tech-support, Craft-repair, Other-service, Sales, Exec-managerial, "
            "Prof-specialty, Handlers-cleaners, Machine-op-inspct, Adm-clerical, "
            "Farming-fishing, Transport-moving, Priv-house-serv, Protective-serv, "
            "Armed-Forces",
            missing_marks=("?",),
        ),
        category(
            "relationship",
            "place in the household",
            "Wife, Own-child, Husband, Not-in-family, Other-relative, Unmarried",
        ),
        category(
            "race",
            "race as the census asked for it",
            "White, Asian-Pac-Islander, Amer-Indian-Eskimo, Other, Black",
        ),
        category("sex", "sex as the census asked for it", "Female, Male"),
        number(
            "capital-gain",
            "gain from selling assets in the year",
            (0, 100_000),
            "The survey's field has five digits, so 99 999 is the most it can say.",
            "US dollars",
            bounds_from="codebook",
            transform="log1p",
        ),
        number(
            "capital-loss",
            "loss from selling assets in the year",
            (0, 100_000),
            "The same five-digit field as the gain.",
            "US dollars",
            bounds_from="codebook",
            transform="log1p",
        ),
        number(
            "hours-per-week",
            "hours worked in a week",
            (0, 100),
            "The extraction rule asks for more than 0 hours; the field has two digits.",
            "hours",
            bounds_from="codebook",
        ),
        category(
            "native-country",
            "country of birth",
            "United-States, Cambodia, England, Puerto-Rico, Canada, Germany, "
            "Outlying-US(Guam-USVI-etc), India, Japan, Greece, South, China, Cuba, Iran, "
            "Honduras, Philippines, Italy, Poland, Jamaica, Vietnam, Mexico, Portugal, "
            "Ireland, France, Dominican-Republic, Laos, Ecuador, Taiwan, Haiti, Columbia, "
            "Hungary, Guatemala, Nicaragua, Scotland, Thailand, Yugoslavia, El-Salvador, "
            "Trinadad&Tobago, Peru, Hong, Holand-Netherlands",
            missing_marks=("?",),
        ),
    ),
    traps=(
        "Unknown values are written ? (workclass, occupation, native-country): 45 222 of 48 842 "
        "records are complete.",
        "The test file begins with a comment line, and its labels end in a dot.",
        "fnlwgt is a weight of the survey and is left out.",
        "education-num repeats education as a rank. Both are kept, as papers do; under unit norm "
        "they share the row's length.",
        "Capital gain and loss are almost always 0 with a long tail. So log(1 + x) is taken before "
        "scaling unless that is switched off.",
        "The published training and test files are put together and split anew.",
        "29 records repeat another one exactly.",
    ),
    files=(
        RemoteFile(
            "adult/adult.data",
            "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
            url=_UCI + "adult.data",
        ),
        RemoteFile(
            "adult/adult.test",
            "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
            url=_UCI + "adult.test",
        ),
    ),
    how_to_get="It is downloaded from the UCI repository when first asked for (6 MB).",
)


ADULT = FileSource(_ADULT, Layout(fields_of(_ADULT), comment="|"))


_LONGEST_AGO = 1_000.0
"""Days; also stands for "never contacted", which the file writes as -1."""

_FLAG = Column(
    "contacted_before",
    "indicator",
    "was called in an earlier campaign (made from pdays, which is -1 where not)",
)

_BANK = Entry(
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

_WRITTEN = tuple(column for column in _BANK.columns if column is not _FLAG)


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


BANK = FileSource(
    entry=_BANK,
    layout=Layout(
        fields=(*map(field_of, _WRITTEN), label_field(_BANK.outcome)), separator=";", header=True
    ),
    decode=_decode,
    remark=_remark,
)


_FEATURES = 52
_GROUPS = (range(0, 5), range(14, 18), range(46, 49))
"""Groups of columns of which exactly one is 1: each is the levels of one category."""
_NUMBERS = (*range(5, 14), 18, 49, 50, 51)


def _column(index: int) -> Column:
    name = f"column_{index}"
    if index in _NUMBERS:
        return number(
            name,
            "a number of the census form; no codebook goes with the file",
            (0, 100),
            "Ages, rooms, people and hours on a census form have at most two digits; "
            "there is no codebook to check this against.",
            bounds_from="assumed",
        )
    group = next(
        (number for number, indices in enumerate(_GROUPS, start=1) if index in indices), None
    )
    meaning = f"one level of category {group}" if group else "a yes or no of the census form"
    return Column(name, "indicator", meaning, codes=("0", "1"))


_IPUMS_BR = Entry(
    key="ipums_br",
    title="IPUMS-BR (Brazilian census)",
    records_are="people",
    source="IPUMS International, Brazil; the extract of Lee and Kifer (KDD 2018)",
    licence="Registration and citation required; microdata may not be passed on",
    citation="Minnesota Population Center (2018). Integrated Public Use Microdata Series, "
    "International: Version 7.0. doi:10.18128/D020.V7.0",
    task="Predict whether a person earns more than $300 a month.",
    action=Action(cases="high earners", acts="take", others="others for one"),
    label=Label(
        "label",
        positive="more than $300 a month",
        negative="at most $300 a month",
        codes=(("0", -1), ("1", 1)),
    ),
    records=38_000,
    columns=tuple(_column(place) for place in range(_FEATURES)),
    traps=(
        "There is no codebook: the bounds 0 to 100 of the 13 numbers are assumed, and what lies "
        "outside is clipped and counted.",
        "Columns 0 to 4, 14 to 17 and 46 to 48 are already one-hot.",
        "The file has no published checksum; every row is checked instead.",
        "These are records of real people under a licence. Results on them are not free to publish "
        "merely because they can be computed.",
    ),
    files=(RemoteFile("ipums_br/IPUMS-BR.dat", ""),),
    how_to_get="Register at international.ipums.org and make the extract, or take the file "
    "(lines of 53 integers) from licensed colleagues.",
)

IPUMS_BR = FileSource(_IPUMS_BR, Layout(fields_of(_IPUMS_BR), separator=""))
