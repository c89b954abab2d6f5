"""Addresses of the files that a page hands out: nobody guesses one from what is in the file.

Streamlit names a file by a fingerprint of its contents and gives it to whoever asks for the name.
So one who guessed the predictions for somebody, from a model that all have, could ask whether they
were just made. It also leaves out parts of a long file, and of two that differ there keeps one.
"""

from __future__ import annotations

import hmac
import secrets

from streamlit.runtime import memory_media_file_storage

_SECRET = secrets.token_bytes(32)


def keep_secret() -> None:
    """Name files by all of their contents and a secret of this process."""
    memory_media_file_storage._calculate_file_id = _name


def _name(data: bytes, mimetype: str, filename: str | None = None) -> str:
    code = hmac.new(_SECRET, digestmod="sha256")
    for part in (mimetype.encode(), (filename or "").encode(), data):
        code.update(len(part).to_bytes(8, "big"))
        code.update(part)
    return code.hexdigest()
