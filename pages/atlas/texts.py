"""What the words on Atlas mean, for someone who meets them for the first time."""

from __future__ import annotations

AS_PUBLISHED = "The verdict is on what is printed."
HERE = (
    "This is about our own form of it, which runs here. Whether the authors' own claim holds was "
    "not checked."
)
SOUND = "Runs here in a sound form, whose own verdict this is."
SYSTEMS = "Everything the five papers tell of, and what stands beside them."
