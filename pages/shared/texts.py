"""Hold words that several pages show: verdicts, trust, and what could be known of one person."""

from __future__ import annotations

from typing import Literal

from dpcore.accounting import risk

BadgeColour = Literal["green", "gray", "orange", "red"]

PREDICT = "What does a released model say?"
LEDGER = "What was spent on each data set?"
"""Titles of the pages that the sidebar does not link to."""
WHERE_HIDDEN = "(on narrow screens, » opens them)"
"""After a word for the controls, which a narrow window begins without."""

COMPOSED = (
    "Several releases together mostly cost less than the sum of their ε: the ledger composes them."
)
WHY_COMPOSED = (
    "Each release has noise of its own. What two of them tell adds up like lengths at right "
    "angles: by squares. Two equal ones with normal noise so cost about √2 times one, not twice. "
    "The ledger adds up μ² of each, which is exact for normal noise, and states the ε of the sum. "
    "Other kinds are added up in Rényi form. Where only (ε, δ) is known, the δ are added, too."
)

CENTRAL = (
    "The one who holds the records and runs this: they see every record as it is. The promise is "
    "about what everyone else can learn from what is published."
)
ASSUMED = "That is an assumption of yours, which nothing here can check."
TRUST = (
    "**Central** model: one party holds all the records and adds the noise. **Shuffled** model: "
    "people blur their own records, and a mixer passes them on without names. **Local** model: "
    "people blur their own records so much that nobody has to be trusted."
)
BLURRED = (
    "Here everyone adds noise before handing anything in, so a promise holds even against the "
    "server: the **local ε**. The more people there are, the less noise each has to add for the "
    "sum. A message on its own is then protected less."
)
ODDS = (
    "Each of 100 people sees the published model, knows every other record, and guesses about one. "
    "The bound is that of the noise drawn, where its law is known, else of ε and δ alone. "
    "It holds where that ε is proved: see the badge beside the method."
)
ODDS_CONDITION = "For any method with this ε and δ whose badge says proved."
STATUS_WORDS = {
    "proved": "The noise added gives the stated ε and δ, by the named theorem or accountant.",
    "exploration only": "From a seed, which takes the noise off again; trained for keeping it is "
    "proved.",
    "conditions not met": "A condition of the theorem fails here, so it proves nothing.",
    "claim not supported": "The noise that is added does not prove what the paper claims.",
    "not private": "No noise is added: no promise at all.",
    "described only": "What its authors say of it; nothing of it is checked or run here.",
}
STATUS_COLOURS: dict[str, BadgeColour] = {
    "proved": "green",
    "exploration only": "gray",
    "conditions not met": "orange",
    "claim not supported": "red",
    "not private": "gray",
    "described only": "gray",
}
STATUS_ICONS = {
    "proved": ":material/verified:",
    "exploration only": ":material/science:",
    "conditions not met": ":material/rule:",
    "claim not supported": ":material/error:",
    "not private": ":material/lock_open:",
    "described only": ":material/menu_book:",
}
ANY_METHOD = "The bound holds for any method with this ε and δ (Kairouz, Oh and Viswanath 2015)."
ALONE = (
    "The bound is that of the noise that is drawn. What ε and δ alone allow stands beside it under "
    "“What could an attacker tell?”."
)
RIGHT_GUESSES = risk.RIGHT_GUESSES
RIGHT_GUESSES_MEANING = (
    "How many of 100 people are right at most. Each sees the result, knows every other record, "
    "starts from even odds, and uses the best test."
)
ADVANTAGE = (
    "The **advantage**: how many more the best test finds, in points, than it accuses by mistake."
)
HITS = (
    "The **true-positive rate** of the best test whose false-positive rate is the one chosen above."
)
BELIEF_AFTER = (
    "The **posterior**: how sure they can be after this test rings, by Bayes' rule from the belief "
    "set above. When it does not ring, they are less sure than before."
)
ACTING = "acting on predictions"
"""Name under which a session remembers from which risk one acts, for a release."""
