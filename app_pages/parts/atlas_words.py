"""What the words on Atlas mean, for someone who meets them for the first time."""

from __future__ import annotations

PAPER = "Which of the five papers tells of it; what is done today stands beside them."
KIND = "What kind of system it is."
VERDICT = (
    "**Proved**: the promise holds, of what is printed or only of our form of it; each card says "
    "which. **Conditions not met**: the theorem needs something that is "
    "not there. **Claim not supported**: the noise does not give what is claimed. **Described "
    "only**: nothing of it is checked or run here."
)
RUNNABLE = "Only systems that can be run here, as described or in a sound form."
SEARCH = "Beginnings of words that must all occur: in name, authors, kind, or what it does."
SYSTEM = "Opens one system by its name."
AS_PUBLISHED = "The verdict is on what is printed."
HERE = (
    "This is about our own form of it, which runs here. Whether the authors' own claim holds was "
    "not checked."
)
FAILURES = (
    "Only systems of which it is known that something went wrong, in them or in their "
    "implementations; also where the promise itself is proved."
)
SOUND = "Runs here in a sound form, whose own verdict this is."
NO_SOFTWARE = "None found, which does not prove that there is none."
THEORY = "Theory: there is nothing to run."
SYSTEMS = "Everything the five papers tell of, and what stands beside them."
FORM = "As its authors print it, or in a form that keeps its promise."
