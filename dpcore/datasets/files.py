"""Read a file that a user names, which may not be a file or may never end."""

from __future__ import annotations

import stat
from pathlib import Path

from dpcore.errors import reject


def contents(field: str, name: str | Path, most: int) -> bytes:
    """All bytes of the file called `name`, or one more than `most` of one that is larger."""
    try:
        path = Path(name).expanduser()
        if stat.S_ISREG(path.stat().st_mode):
            with path.open("rb") as file:
                return file.read(most + 1)
        allowed = "a file that can be read (it is a folder or a device)"
    except OSError as error:
        allowed = f"a file that can be read ({error.strerror})"
    except (ValueError, RuntimeError):  # a zero byte; a home that nobody has
        allowed = "a file that can be read"
    raise reject(field, str(name), allowed)
