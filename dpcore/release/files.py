"""Writing a release as a folder that is there whole, or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from dpcore.errors import InvalidInput, reject


@contextmanager
def new_folder(output: str | Path) -> Iterator[Path]:
    """A hidden folder beside `output`, made before anything is paid; `write` gives it the name.

    It is removed where it was not given the name.

    Raises
    ------
    InvalidInput
        If there is something of that name, or no folder can be made beside it.
    """
    place = Path(output)
    if os.path.lexists(place):
        raise reject("output", str(output), "a folder that is new")
    try:
        hidden = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    except (OSError, ValueError) as error:
        reason = f" ({error.strerror})" if isinstance(error, OSError) else ""
        raise reject("output", str(output), f"a folder that can be made{reason}") from None
    try:
        yield hidden
    finally:
        with suppress(OSError):
            shutil.rmtree(hidden)


def write(files: Mapping[str, bytes], hidden: Path, output: str | Path) -> None:
    """Write all files to the disk, and then give the hidden folder its name.

    Raises
    ------
    InvalidInput
        If they cannot be written.
    """
    try:
        for name, content in files.items():
            with (hidden / name).open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        hidden.chmod(0o755)
        hidden.rename(output)
    except OSError as error:
        raise InvalidInput(
            f"The model could not be written to {str(output)!r} ({error.strerror})."
        ) from None
