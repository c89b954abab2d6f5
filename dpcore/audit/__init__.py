"""Attacks that try to show a privacy claim wrong, and the lower bounds on ε that they prove."""

MAX_OUTPUTS = 200_000
"""Most outputs of a trial on either data set."""
REPLAYED_AT = 0.9
"""The ε at which methods are replayed: classical noise is proved below 1."""
