"""Hold the words of the ledger's page."""

DEMONSTRATION = (
    "Demonstration: made-up entries, for this visit alone. {place} names a real ledger, or Release "
    "creates one."
)
SPENT = (
    "The ε of all that was spent, at the cap’s δ; rounded up. The filter composes it as a sum, by "
    "Gaussian noise and in Rényi form, each with a part of δ. The least counts. It holds also "
    "where a release was chosen by what earlier ones had shown."
)
LEFT = "The cap less what is taken; rounded down. Nothing is ever given back."
CAP = "What all releases from this data set together may reach."
RAISE = (
    "An entry for ever: a cap never comes down, and what was spent stays spent. A cap that is "
    "raised because of what was seen promises only the highest that it may come to."
)
WHOLE = "The chain is whole: {count} hashes and every account were computed anew."
COPY = (
    "An older copy of the whole ledger would look right, too. Chain heads that were kept "
    "elsewhere, such as in certificates, show it: `python -m dpcore ledger verify --heads`."
)
