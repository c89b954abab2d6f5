"""The words on Release."""

from __future__ import annotations

DEMONSTRATION = (
    "**Demonstration: nothing real is spent.** The patients are made up, and the ledger is in "
    "memory. Every step is filled in: press Release."
)
ONE_ROW = "One row is one person. ε is a promise about one row."
LOOKS = {
    "stand-in": "Explore shows made-up patients, for free. Nothing is learned of yours.",
    "nothing": "Settings follow from public values alone.",
    "public": "Looking at public records costs nothing; ε then promises little, too.",
}
LOOKED = {
    "stand-in": "at made-up patients",
    "nothing": "not at all",
    "public": "the records are public",
}
PAYS = (
    "The payment is final: no release is drawn twice, and one that is cut off after it is lost. "
    "It can be cancelled until then."
)
PREPARING = "**Nothing is paid yet.**"
TRAINING = "**Paid**; it can no longer be cancelled. Keep this page open."
UNSEALED = (
    "The files are whole, but the ledger does not have the certificate yet: attach {hash} to entry "
    "{entry} by the ledger's command. {refusal}"
)
CANCELLED = "Cancelled: nothing was paid."
LOST = "It was paid, and its training was cut off: the payment stays, the model is lost."
FAULT = "It ended by a fault of the program; nothing was released."
CHECK = "python -m dpcore certificate check certificate.yaml --model model.json"
