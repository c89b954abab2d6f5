"""The words about an uploaded table of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.datasets.own.description import MAX_NAME_LETTERS
from pages.shared.texts import WHERE_HIDDEN

if TYPE_CHECKING:
    from dpcore.datasets.own.form import Lack

UPLOAD_IS_DROPPED = (
    "When this page is loaded anew, or left for another one, the file has to be chosen again."
)
DECLARE_PUBLIC = "These records are public, or made up"
DECLARED_PUBLIC = (
    "Then looking at them is free: methods are compared by their results, and the page no longer "
    "warns. Leave it open for records of patients. A link never says it for you."
)
OWN_FIRST = (
    f"**Choose your file among the controls** {WHERE_HIDDEN}. It is a CSV or Parquet file that "
    "names its columns. A form then asks what each column may hold."
)
OWN_FILE_NEXT = (
    f"**The columns are described. Now choose your file among the controls** {WHERE_HIDDEN}."
)
OWN_PUBLIC = (
    "Ranges and lists come from a codebook or common knowledge, **never from these records**. A "
    "range that is read off the data would break every proof."
)
OWN_STAYS = (
    "The file stays on the machine that runs this page. The description of its columns goes into "
    "the link; the records never do."
)
OWN_SUGGESTED = (
    "Ranges and meanings come from the names alone; only how values are written was recognised in "
    "the file. Confirm what you know without these records. A range that is read off the data "
    "would break every proof."
)
OWN_FORM = (
    "Change what is wrong, then confirm. Ranges and lists must come from a codebook or common "
    "knowledge, **never from these records**."
)
OWN_RANGE = (
    "The lowest or highest value possible, for anyone. Values beyond it are clipped. A range far "
    "wider than is medically possible costs accuracy, with privacy and without. Decimals have a "
    "point or a comma. Of the column that says whose row it is, the highest is the most rows of "
    "one person."
)
OWN_VALUES = "**Values** are separated by commas; for yes or no, the “no” comes first."
OWN_LIST = (
    "All values possible, separated by commas. For yes or no, the “no” comes first: the second is "
    "the one looked for. Of days, the first and the last day possible: 2015-01-01, 2024-12-31."
)
OWN_UNUSED = "**Not used yet**, so the model will not learn from them:"
OWN_NO_NAME = "(no name)"
OWN_FILLED_IN = (
    "**Used as well**: {names}. A range or list that is filled in counts as a tick under “Use”, "
    "where none appears."
)
OWN_LACKS: dict[Lack, str] = {
    "kind": "{names}: values like 1.234 could mean 1.234 or 1234. Under “Holds”, choose “number” "
    "for the first, “number like 1,5” for the second.",
    "range": "{names}: the name does not say the range. Fill in lowest and highest.",
    "values": "{names}: the name does not say the list. Fill in the values.",
    "days": "{names}: days without a range. Fill in the first and the last one under values.",
    "rows": "{names}: it says whose row it is. Fill in the most rows of one person as highest.",
    "name": "{names}: no line can name it. In the file, name it once, in at most "
    f"{MAX_NAME_LETTERS} letters, digits and common signs, not beginning with “predict ”.",
    "nothing": "{names}: not ticked under “Use”, though nothing is missing.",
}
OWN_UNKNOWN = "How the file writes an unknown value: blank for an empty field, or a mark like NA."
OWN_COLUMNS = (
    "**A number** has a range: the lowest and the highest value possible, and a unit if you like. "
    "**A day** has the first and the last day possible: `visit: 2015-01-01 to 2024-12-31`. "
    "Add `; day first` or `; month first` for days like 31.12.2020 or 12/31/2020. "
    "**Any other column** is one of a list; of two outcomes the second is the one looked for. "
    "**What is predicted** begins with the word *predict*; it may be a number or one of a list. "
    "Where values may be unknown, say how the file writes that: `; unknown: NA`, or `; unknown: "
    "blank` for empty fields. Add `; decimal comma` for numbers like 1,5 or 1.234,5. **What one "
    "person is**: `person: patient_id, at most 3 rows` where a column says whose row it is. "
    "Nothing is learned from it, and one row of each person is explored. A column without a line "
    "is left out. Ranges and lists must come from a codebook or common knowledge, **never from "
    "these records**. A range that is read off the data would break every proof. Values outside a"
    " range are brought into it and counted."
)
