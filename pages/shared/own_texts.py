"""Hold the words about an uploaded table of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.datasets.own.description import MAX_NAME_LETTERS
from pages.shared.texts import WHERE_HIDDEN

if TYPE_CHECKING:
    from dpcore.datasets.own.form import Lack
    from dpcore.datasets.values import Beyond

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
    "Ranges and meanings come from the names alone. From the values only how they are written was "
    "recognised. What holds 0 and 1, or no and yes, may be an answer. Confirm what you know "
    "without these records. A range that is read off the data would break every proof."
)
OWN_FORM = (
    "Change what is wrong, then confirm. Ranges and lists must come from a codebook or common "
    "knowledge, **never from these records**."
)
OWN_PREDICTED = "This is what is predicted. Choose another one above."
OWN_LIST_HINT = "values, with commas"
OWN_BEYOND: dict[Beyond, str] = {
    "limit": "<5 is read as 5",
    "half": "<5 is read as 2.5",
    "unknown": "<5 is unknown",
}
OWN_UNUSED = "**Not used**, so the model will not learn from them:"
OWN_NO_NAME = "(no name)"
OWN_LACKS: dict[Lack, str] = {
    "kind": "{names}: values like 1.234 or 1,234 could mean 1.234 or 1234. Choose the kind of "
    "number.",
    "range": "{names}: the name does not say the range. Fill in the lowest and the highest value "
    "possible, for anyone.",
    "beyond": "{names}: choose how values like <5 are read.",
    "values": "{names}: the name does not say the list. Fill in all values possible, separated by "
    "commas; of two the second is the one looked for.",
    "days": "{names}: fill in the first and the last day possible, such as 2015-01-01.",
    "rows": "{names}: it says whose row it is. Fill in the most rows of one person.",
    "name": "{names}: no description can name it. In the file, name it once, in at most "
    f"{MAX_NAME_LETTERS} letters and signs.",
    "nothing": "{names}: not ticked, though nothing is missing.",
}
OWN_COLUMNS = (
    "This is a Frictionless Table Schema in YAML or JSON; the form writes it. **A number** has a "
    "`minimum`, a `maximum`, and a `unit` if you like. **A date** has the first and the last day "
    "possible. **Any other column** has an `enum`, the list of its values. Of two outcomes the "
    "second is the one looked for. `predict` names what is predicted. `missingValues` says how "
    "unknown values are written; `''` is an empty field. `decimalChar`, `groupChar` and `format` "
    "say how numbers and days are. `beyondLimits` says whether <5 is its `limit`, `half` of it or "
    "`unknown`. `person: {field: patient_id, maximumRows: 3}` says whose row it is. Nothing is "
    "learned from that column. A column that is not described is left out. Ranges and lists must "
    "come from a codebook or common knowledge, **never from these records**. A range that is read "
    "off the data would break every proof. Values outside a range are brought into it and counted."
)
OWN_TOO_LONG = (
    "The description is too long for a link, so the address does not hold it. Save it as a file, "
    "and open that beside your table."
)
OWN_NO_TEXT = "The file is no text (UTF-8), but it must be a description in YAML or JSON."
READ_HOW = "How the file is read"
READ_AS_FOUND = "as found"
READ_NUMBERS = (
    "How all numbers are written. “As found” is by what each column allows; each one can also be "
    "changed below."
)
READ_ROWS = "The first rows as they will be read"
