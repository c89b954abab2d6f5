"""IPUMS-BR: Brazilian census microdata as papers on private learning use them.

The user provides the file, which may not be passed on, in the format of Lee and Kifer (KDD 2018):
integers separated by blanks, no header, 53 columns, the last one the label, and no codebook.
"""

from __future__ import annotations

from dpcore.datasets.schema import Action, Column, Entry, Label, RemoteFile, number
from dpcore.datasets.sources import FileSource, fields_of
from dpcore.datasets.text import Layout

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


ENTRY = Entry(
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

SOURCE = FileSource(
    entry=ENTRY,
    layout=Layout(
        fields=fields_of(ENTRY),
        separator="",
    ),
)
