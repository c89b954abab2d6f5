"""A cache that cannot be written: every page works without keeping, and says so once."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dpcore.datasets import cache
from dpcore.work import executors, jobs
from pages.shared.page_links import PAGE_LINKS
from tests.pages.shown import open_page, run, said
from tests.pages.waiting import until

pytestmark = pytest.mark.slow("runs whole pages")

PAGES = tuple(link.name for link in PAGE_LINKS)
QUICK = {"passes": "1", "units": "8", "repeats": "1"}


@pytest.fixture(autouse=True)
def no_data(monkeypatch):
    monkeypatch.delenv("DPCORE_DATA", raising=False)
    yield
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


@pytest.fixture(params=["homeless", "closed"])
def folder(request):
    return request.getfixturevalue(request.param)


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_there_and_says_so_once(folder, page):
    before = files(folder)
    app = open_page(page)
    for _ in range(2):
        assert not run(app).error
        (told,) = [warning.value for warning in app.warning if "kept" in warning.value]
        assert "DPCORE" in told
    assert files(folder) == before


@pytest.mark.parametrize("folder", ["homeless"], indirect=True)
def test_a_network_is_trained_to_its_end_without_keeping(folder):
    before = files(folder)
    app = open_page("train", **QUICK)
    until(lambda: "Trained." in said(app), app, look_seconds=2.0)
    assert files(folder) == before
    private = cache._private
    assert private is not None
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert all(not path.stat().st_mode & 0o077 for path in private.rglob("*"))


def test_where_nothing_at_all_can_be_written_the_pages_say_why(monkeypatch, tmp_path):
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "ROOM", 2**62)
    for page in PAGES:
        app = open_page(page)
        assert "the disk is full" in said(run(app), "warning")
    assert {jobs.Job(key).state for key in jobs._attempts} <= {"failed"}
    assert files(tmp_path) == []


def test_the_private_folder_goes_with_the_process(closed):
    code = "from dpcore.datasets import cache; print(cache.place('jobs'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "epsilon-explorer-" in done.stdout
    assert not Path(done.stdout.strip()).parent.exists()
