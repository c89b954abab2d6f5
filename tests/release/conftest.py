"""Short attacks before a payment, and a PostgreSQL server where Debian's is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import pytest

from dpcore.release import release, summary
from dpcore.release.attack import attack
from dpcore.release.twin import counting as of_twin
from dpcore.release.twin import twin

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


@pytest.fixture(scope="module", autouse=True)
def short_attack():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(release, "attack", partial(attack, runs=500))
        patched.setattr(twin, "attack", partial(of_twin.attack, runs=500))
        patched.setattr(summary, "attack", partial(summary.attack, runs=500))
        yield


@pytest.fixture(scope="session")
def postgresql():
    """URL of an empty database; the server ends with the tests."""
    if not BINARIES:
        if os.environ.get("DPCORE_POSTGRESQL") == "required":
            pytest.fail("DPCORE_POSTGRESQL=required, but Debian's postgresql is not installed")
        pytest.skip("Debian's postgresql is not installed")
    folder = Path(tempfile.mkdtemp(prefix="ledger"))  # a socket's path may have 107 letters
    as_user: list[str] = []
    if os.geteuid() == 0:  # the server refuses to run as root
        as_user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        shutil.chown(folder, "nobody", "nogroup")
    data, run = folder / "data", {"check": True, "stdout": subprocess.DEVNULL, "cwd": folder}
    control = [*as_user, BINARIES[-1] / "pg_ctl", "-D", data]
    try:
        initialise = [BINARIES[-1] / "initdb", "-D", data, "-A", "trust", "-U", "ledger", "-N"]
        subprocess.run([*as_user, *initialise], **run)
        options = f"-k {folder} -c listen_addresses=''"
        subprocess.run([*control, "-w", "-l", folder / "log", "-o", options, "start"], **run)
        try:
            yield f"postgresql://ledger@/postgres?host={folder}"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], **run)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
