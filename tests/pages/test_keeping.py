"""A cache that cannot be written: every page works without keeping, and says so once."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dpcore.datasets import cache
from dpcore.evaluation import executors, jobs
from pages.shared.page_links import PAGE_LINKS
from tests.pages.explored import only_methods
from tests.pages.shown import open_page
from tests.pages.waiting import until

pytestmark = pytest.mark.slow("runs whole pages")

PAGES = tuple(link.name for link in PAGE_LINKS)
QUICK = {"passes": "1", "units": "8", "repeats": "1"}


@pytest.fixture(autouse=True)
def no_job(monkeypatch):
    """No job in this process's memory."""
    monkeypatch.setattr(jobs, "_attempts", {})
    monkeypatch.delenv("DPCORE_DATA", raising=False)
    yield
    for key in list(jobs._attempts):
        jobs.Job(key).cancel()
    executors.close()


@pytest.fixture
def homeless(monkeypatch, tmp_path):
    """A home folder that is not there and that nobody, root included, can make."""
    (tmp_path / "a file").write_text("in the way")
    for name in ("DPCORE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "a file" / "home"))
    return tmp_path


@pytest.fixture
def closed(monkeypatch, tmp_path):
    """A folder that nobody, root included, can make."""
    (tmp_path / "a file").write_text("in the way")
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path / "a file" / "cache"))
    return tmp_path


@pytest.fixture
def full(monkeypatch, tmp_path):
    """A disk of 64 kB, where it may be made."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    monkeypatch.setenv("DPCORE_CACHE", str(disk))
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.fixture(params=["homeless", "closed", "full"])
def trouble(request):
    return request.param, request.getfixturevalue(request.param)


def opened(page, **link):
    return open_page(page, **link)


def said(app):
    return " ".join(text.value for text in (*app.markdown, *app.caption, *app.warning))


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_there_and_says_so_once(trouble, page):
    kind, folder = trouble
    before = files(folder)
    app = opened(page)
    for look in range(3):
        if look:
            app.run()
        assert not app.exception
        assert not app.error
        told = [warning.value for warning in app.warning if "kept" in warning.value]
        assert len(told) == 1
        assert "DPCORE" in told[0]
        assert ("the disk is full" in told[0]) == (kind == "full")
    assert files(folder) == before


# In a closed folder a curve is trained, by a worker of the same kind.
@pytest.mark.parametrize("trouble", ["homeless", "full"], indirect=True)
def test_a_network_is_trained_to_its_end_without_keeping(trouble):
    _, folder = trouble
    before = files(folder)
    app = opened("train", **QUICK)
    until(lambda: "Trained." in said(app), app, look_seconds=2.0)
    assert not app.exception
    assert files(folder) == before
    private = cache._private
    assert private is not None
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert all(not path.stat().st_mode & 0o077 for path in private.rglob("*"))


def test_a_curve_is_trained_without_keeping(closed, monkeypatch):
    only_methods(monkeypatch, "dpgd")
    app = opened("explore", view="Take along", runs="10")
    until(lambda: "dpgd" in set(app.dataframe[0].value["method"]), app, look_seconds=2.0)
    assert not app.exception


def test_where_nothing_at_all_can_be_written_the_pages_say_why(monkeypatch, tmp_path):
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "ROOM", 2**62)
    for page in PAGES:
        app = opened(page)
        for look in range(3):
            if look:
                app.run()
            assert not app.exception
            assert "the disk is full" in said(app)
    assert {jobs.Job(key).state for key in jobs._attempts} <= {"failed"}
    assert files(tmp_path) == []


def test_the_private_folder_goes_with_the_process(closed):
    code = "from dpcore.datasets import cache; print(cache.place('jobs'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "epsilon-explorer-" in done.stdout
    assert not Path(done.stdout.strip()).parent.exists()
