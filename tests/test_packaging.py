"""What an installation brings: ranges, extras, and one sentence for a package that it lacks."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import dpcore
from dpcore.errors import EXTRAS

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
OPTIONAL = PROJECT["optional-dependencies"]


def needed(texts):
    every = [Requirement(text) for text in texts if text[:1].isalpha()]
    return {canonicalize_name(each.name): each for each in every}


ALWAYS = needed(PROJECT["dependencies"])
EXTRA = {extra: needed(texts) for extra, texts in OPTIONAL.items() if extra != "all"}


def imported(*paths):
    """The packages of others that the files import."""
    names: set[str] = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(str(node.module).partition(".")[0])
    found = packages_distributions()
    others = names - set(sys.stdlib_module_names) - {"dpcore", "pages", "__future__"}
    return {canonicalize_name(found.get(name, [name])[0]) for name in others}


@pytest.mark.slow("starts fresh interpreters")
def test_what_the_package_imports_is_a_dependency_or_in_an_extra_that_is_named():
    named = set(ALWAYS) | {canonicalize_name(name) for name in EXTRAS}
    assert imported(*(ROOT / "dpcore").rglob("*.py")) <= named
    app = imported(ROOT / "app.py", *(ROOT / "pages").rglob("*.py"))
    assert app <= set(ALWAYS) | set(EXTRA["app"])


@pytest.mark.parametrize(("package", "extra"), EXTRAS.items())
def test_the_extra_that_a_sentence_names_brings_the_package(package, extra):
    assert package in EXTRA[extra]
    assert package not in ALWAYS
    assert f"[{','.join(sorted(EXTRA))}]" in OPTIONAL["all"][0]


def test_what_the_app_was_tested_with_is_pinned_within_the_ranges():
    pins = {
        name: next(iter(each.specifier)).version
        for file in ("requirements.txt", "requirements-dev.txt")
        for name, each in needed((ROOT / file).read_text("utf-8").splitlines()).items()
    }
    for group in (ALWAYS, *EXTRA.values()):
        for name, each in group.items():
            assert pins[name] in each.specifier, name


ABSENT = """
import sys

class Absent:
    def find_spec(name, *_):
        if name.partition(".")[0] in ("streamlit", "torch"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent)
"""


def without_extras(code):
    """The code, run where neither torch nor Streamlit is found."""
    return subprocess.run(
        [sys.executable, "-c", ABSENT + code], cwd=ROOT, capture_output=True, text=True
    )


@pytest.mark.slow("starts fresh interpreters")
def test_a_command_without_its_package_says_what_to_install():
    line = "train --dataset digits --epsilon 3 --epochs 1"
    done = without_extras(f"from dpcore.cli import main; sys.exit(main({line.split()}))")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert 'pip install "epsilon-explorer[networks]"' in done.stderr


@pytest.mark.slow("starts fresh interpreters")
def test_in_python_a_missing_package_is_an_import_error_that_names_the_extra():
    done = without_extras(
        "import dpcore\n"
        "config = dpcore.TrainingConfig('linear', epochs=1)\n"
        "study = dpcore.TrainingStudy('digits', config=config)\n"
        "try: dpcore.train(study)\n"
        "except ImportError as error: print(error)"
    )
    assert "epsilon-explorer[networks]" in done.stdout, done.stderr


@pytest.mark.slow("starts fresh interpreters")
def test_every_name_of_the_front_door_comes_without_torch_and_streamlit():
    names = "; ".join(f"dpcore.{name}" for name in dpcore.__all__)
    done = without_extras(f"import dpcore\n{names}")
    assert (done.returncode, done.stderr) == (0, "")
