"""What a table from anyone may have at most, before it is refused."""

MEGABYTE = 1024 * 1024
LARGEST_TABLE = 300 * MEGABYTE
"""Bytes of a table of one's own, or of the text that it decompresses to."""
MAX_ROWS = 1_000_000
MAX_FIELDS = 2_000
LARGEST_NUMBER = 1e9
"""No quantity in any set comes near it; anything beyond is a broken file, not a measurement."""
MAX_FAULTS = 20
"""Places that one refusal names."""
