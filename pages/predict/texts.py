"""Hold the words of the prediction page."""

NOTHING_STORED = "What you enter is used and dropped: no address, file or log holds it."
RELEASE = "Release a model"
FILES = (
    "From the folder of a release. The model is read as data: nothing in it can run. Without its "
    "certificate nothing says what was proved of it."
)
FIRST = (
    "Choose a released model’s **model.json** on the left. Its own description of the columns "
    "makes the form."
)
LAST_RELEASE = "The model that you released in this session. Choose files to take another."
DEMONSTRATION = "Demonstration: released from made-up patients. Its predictions mean nothing."
LIKE_DEMONSTRATION = (
    "Its columns are those of the demonstration, whose patients are made up. Nothing here says "
    "that it was learned from real ones."
)
WITHOUT = "No certificate: nothing here says what privacy was proved of this model."
HOLDS = "The certificate holds: it is this model’s, and its numbers follow from the mechanism."
BROKEN = "Do not rely on the certificate:"
TOO_WIDE = "The model has {count} columns, and the form takes at most {most}: choose a CSV file."
NOISE = "95 of 100 such ranges hold what the training says without noise."
NOISE_HOW = (
    "In 95 of 100 releases with other noise, such a range holds what the training says without "
    "any. It follows from the certificate and made-up records, and costs no ε. For people unlike "
    "those it learned from it may be too narrow."
)
NOISE_UNKNOWN = "What noise alone does is not known: {why}."
REFUSED = "There is no answer, as a value is none that the model knows: {values}."
REFUSED_VALUE = "{name} is {value}, but must be {allowed}"
FILE = (
    "The first line names the model’s columns, in any order; others are left out. It is read in a "
    "process of its own, which ends with the answer."
)
