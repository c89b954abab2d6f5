"""Writing a release as a folder that is there whole, or not at all.

Files carry their time along when they are packed or copied. Beside the ledger's time of the payment
it would tell how long a training took, which depends on its rows; so it is given to the minute, as
that of the certificate is in the ledger.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from dpcore.errors import InvalidInput, reject


@contextmanager
def new_folder(output: str | Path) -> Iterator[Path]:
    """A hidden folder beside `output`, made before anything is paid; `write` gives it the name.

    It is removed where nothing was written to it.
    """
    place = Path(output)
    if os.path.lexists(place):
        raise reject("output", str(output), "a folder that is new")
    try:
        hidden = place.with_name(f".{place.name}-{secrets.token_hex(4)}")
        hidden.mkdir()
    except (OSError, ValueError) as error:
        reason = f" ({error.strerror})" if isinstance(error, OSError) else ""
        raise reject("output", str(output), f"a folder that can be made{reason}") from None
    try:
        yield hidden
    finally:
        with suppress(OSError):
            hidden.rmdir()


def write(files: Mapping[str, bytes], hidden: Path, output: str | Path) -> None:
    """Write all files to the disk, and then give the hidden folder its name."""
    try:
        for name, content in files.items():
            with (hidden / name).open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        minute = int(time.time()) // 60 * 60
        for path in (*hidden.iterdir(), hidden):
            os.utime(path, (minute, minute))
        hidden.rename(output)
        # The name, too, is on the disk before the ledger says that there is a model.
        parent = os.open(hidden.parent, os.O_RDONLY)
        try:
            os.fsync(parent)
        finally:
            os.close(parent)
    except OSError as error:
        raise InvalidInput(
            f"The files could not be written to {str(output)!r} ({error.strerror}); what there is "
            f"of it lies in {hidden}."
        ) from None
