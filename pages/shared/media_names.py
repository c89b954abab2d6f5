"""Name the files that a page hands out so that nobody guesses one from what is in the file.

Streamlit names a file by a fingerprint of its contents and gives it to whoever asks for the name.
So one who guessed the predictions for somebody, from a model that all have, could ask whether they
were just made. It also leaves out parts of a long file, and of two that differ there keeps one. An
address also says for whom the file was made, so that one found in a history opens nothing.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable

from streamlit.runtime import memory_media_file_storage

_SECRET = secrets.token_bytes(32)
_LENGTH = 64
"""Of one code in letters."""


def keep_secret(owner: Callable[[], str]) -> None:
    """Name files by all of their contents, a secret of this process, and their owner.

    `owner` returns who the page is drawn for; "" where everybody may have its files.
    """

    def name(data: bytes, mimetype: str, filename: str | None = None) -> str:
        whose = owner()
        contents = _code(mimetype.encode(), (filename or "").encode(), data, whose.encode())
        return contents + _code(contents.encode(), whose.encode())

    memory_media_file_storage._calculate_file_id = name


def is_for(name: str, owner: str) -> bool:
    """Whether the file of that name was made for this owner."""
    code = _code(name[:_LENGTH].encode(), owner.encode())
    return hmac.compare_digest(name[_LENGTH:].encode(), code.encode())


def _code(*parts: bytes) -> str:
    code = hmac.new(_SECRET, digestmod="sha256")
    for part in parts:
        code.update(len(part).to_bytes(8, "big"))
        code.update(part)
    return code.hexdigest()
