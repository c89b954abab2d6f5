"""The one text of a document, and its hash."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any


def canonical(document: Mapping[str, Any]) -> str:
    """The one text of a document, from which hashes are taken."""
    return json.dumps(
        document, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )


SHA256 = re.compile("[0-9a-f]{64}")
"""A hash as `digest` writes it."""


def digest(text: str) -> str:
    """SHA-256 of a text, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()
