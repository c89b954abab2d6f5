"""Hold the words on Release."""

from __future__ import annotations

DEMONSTRATION = (
    "**Demonstration: nothing real is spent.** Patients and ledger are made up. All is filled in: "
    "press Release."
)
INTRODUCTION = (
    "A private model of your table is trained once, paid from the ledger, and leaves with its "
    "certificate."
)

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

ONE_ROW = "Each person has one row in this table"
WHOSE, MAX_ROWS = "Column that says whose row it is", "Most rows of one person that count"
WHOSE_HELP = "Nothing is learned from it, so it must not be described as well."
MAX_ROWS_HELP = "Of more, lots choose. A person weighs as much as one row, whatever this is."
SAY_PERSON = "say what one person is"
ONE_PERSON = "one row is one person; {difference}"
ONE_PERSON_ROWS = "one person has at most {most} rows, by {column}; {difference}"
PROMISE = "ε is a promise about one row: of a person with several it protects each by itself only."
PROMISE_ROWS = "ε is a promise about all rows of one person together."
NUMBER_IS_PUBLIC = "The number of persons counts as public, as it divides each sum."

LOOKS = {
    "stand-in": "They are drawn from the description alone: looking at them costs nothing.",
    "twin": "Made-up records drawn from noisy counts of yours: paid once, then free to explore.",
    "nothing": "Settings follow from public values alone.",
    "public": "Looking at public records costs nothing; ε then promises little, too.",
}
LOOKED = {
    "stand-in": "at made-up records",
    "twin": "at a private twin",
    "nothing": "not at all",
    "public": "the records are public",
}

LOOK_YET = "rehearse, or look at made-up records"
REHEARSE, REHEARSING = "Rehearse this release", "Rehearsing on made-up records"
TRAIN_ON, PLAN_FOR = "Train a network on them", "Plan for as many people"
EXPLORE = "Explore made-up records"
STAND_IN = "Made-up records (CSV)"
PREDICT_BY_IT = "Predict with this model"
REHEARSED = (
    "Made-up records are not yours: the cost on them is only a hint at the cost on yours. How well "
    "your columns predict cannot be told by them."
)

MAKE_TWIN, MAKE_ANOTHER_TWIN = "Make the twin", "Make another twin"
TWIN_FIRST = "Steps 1, 2 and 4 come first: what it is made of, and what it is paid from."
TWIN_YET = "make the twin, or look in another way"
TWIN_PAYS = "The payment is final, and pays for one twin. It can be cancelled until it is paid."
TWIN_ONE_ROW = "One row of each person counts, chosen by lots: the noise is that of one row."
TWIN_UNDER_WAY = "the twin is being made"
TWIN_PAID = "at a private twin, paid by entry {entry} of the ledger"
TWIN_HOLDS = "Kept, with noise: each column by the outcome, and how columns go together in pairs."
TWIN_HOLDS_NO_PAIRS = (
    "Kept, with noise: each column by the outcome. How columns go together is not, for so few "
    "records: models look better on it than on them."
)
EXPLORE_TWIN = "Explore the twin"
OF_A_STAND_IN = (
    "Made up from the description alone. It shows what noise costs; its results say nothing of "
    "your records."
)
OF_A_TWIN = (
    "Drawn from a private twin. Results are about what your records would give, within a point or "
    "two where they are many."
)

NETWORK = (
    "On three of four real tables logistic regression by lines or by curves did as well as a "
    "network. A network pays where the outcome depends on two columns together."
)

NO_LEDGER = (
    "This server has no ledger, so only the demonstration can be released. Whoever runs it makes "
    "one, and names it by the environment variable `DPCORE_LEDGER`:"
)
ELSEWHERE, CREATE_FIRST = "A ledger elsewhere", "create a ledger"
NEW_LEDGER = "Create a ledger here"
FOR_EVER = (
    "Name, protection ({difference}, as in step 2) and what was spent stay for ever; the cap can "
    "only be raised. It pays for models and twins of this page."
)
NO_LEDGER_YET = "this server has no ledger"
EMPTY_LEDGER = "The ledger holds no data set yet. Whoever answers for the data creates one:"
EMPTY_LEDGER_YET = "the ledger holds no data set"
LEDGER_UNREAD = "the ledger cannot be read"
CREATE = (
    'python -m dpcore ledger create --ledger {place} --data-set clinic --person-unit "one patient" '
    '--epsilon 3 --delta 1e-5 --owner "Dr. A" --accepts gaussian'
)
START = "DPCORE_LEDGER=ledger.db python -m streamlit run app.py"
CHOOSE_DATA_SET = "choose a data set of the ledger"
OTHER_ADJACENCY = (
    "The ledger keeps this data set for {agreed}: choose that in step 2, or another data set."
)
OTHER_ADJACENCY_YET = "step 2 and the data set differ"
TOO_FEW = "Too few records at this ε to correct the risks: they stay as trained."
FIRST_COMES_FIRST, READ_FIRST = "step 1 comes first", "the table is not read yet"
CANNOT_BE_PAID = "choose what can be paid"
LESS = "Choose a smaller ε, or have the cap raised."
WHO = "say who releases"

NOT_ALLOWED_YET = "you may not spend here"
NO_LONGER = "Your role was taken away meanwhile, so nothing was paid."
NOT_YET = "The button comes once the steps before are done."
FILL_IN = "fill in: {missing}"
CLIPPED = "Go on with values clipped"
MAY = "I may spend this"
PAYS = (
    "The payment is final, and pays for one training. You can cancel before it; a training that is "
    "interrupted after it is lost."
)
PREPARING = "**Nothing is paid yet.**"
TRAINING = "**Paid**; it can no longer be cancelled. Keep this page open."
UNSEALED = (
    "The files are whole, but the ledger does not have the certificate yet. Attach {hash} to entry "
    "{entry} by the ledger's command. {refusal}"
)
CANCELLED = "Cancelled: nothing was paid."
LOST = "It was paid, and then cut off: the payment stays, what it was for is lost."
DOUBTFUL = "It was cut off while it was paid: what is left says whether it was."
FAULT = "It ended by a fault of the program."
MORE = "Proof, ledger and check"
ANOTHER = "Release another model"
PREDICT = "Predict with a released model"
CHECK = "python -m dpcore certificate check ."
