"""The house's rules: which part may import which, and what an import may load."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "dpcore"
PAGES = sorted(
    folder.name
    for folder in (ROOT / "pages").iterdir()
    if folder.is_dir() and (folder / f"{folder.name}.py").exists()
)

# What a part may import from the others; every part may import itself.
FOUNDATION = {
    *("errors", "guarantee", "progress", "settings", "spreadsheet", "words"),
}
ALLOWED = {
    "words": set(),
    "errors": {"words"},
    "progress": {"errors"},
    "settings": {"errors", "words"},
    "spreadsheet": set(),
    "guarantee": {"errors", "words"},
    "mechanisms": FOUNDATION,
    "accounting": FOUNDATION | {"mechanisms"},
    "datasets": {"errors", "progress", "settings", "words"},
    "confined": {"errors", "words"},
    "erm": FOUNDATION | {"mechanisms", "accounting"},
    "deep": FOUNDATION | {"mechanisms", "accounting", "datasets"},
    "models": FOUNDATION | {"mechanisms", "accounting", "datasets"},
    "summaries": FOUNDATION | {"mechanisms", "datasets"},
    "work": FOUNDATION | {"confined", "datasets"},
    "evaluation": FOUNDATION
    | {
        *("accounting", "confined", "datasets", "deep", "erm", "mechanisms", "models"),
        *("predictors", "work"),
    },
    "predictors": FOUNDATION | {"datasets", "erm", "mechanisms", "models"},
    "estimators": FOUNDATION | {"datasets", "erm"},
    "systems": FOUNDATION | {"accounting", "erm", "deep", "models"},
    "release": FOUNDATION | {"mechanisms", "accounting", "datasets", "erm", "audit", "summaries"},
    "audit": FOUNDATION
    | {"accounting", "datasets", "deep", "erm", "mechanisms", "models", "systems"},
    "lessons": FOUNDATION
    | {"mechanisms", "accounting", "datasets", "erm", "evaluation", "audit", "figures"},
    "figures": FOUNDATION | {"datasets", "evaluation"},
    "questions": FOUNDATION
    | {
        *("accounting", "controls", "datasets", "deep", "erm", "evaluation", "figures"),
        *("audit", "mechanisms", "summaries", "models", "predictors", "systems", "work"),
    },
    "controls": FOUNDATION
    | {
        *("accounting", "audit", "datasets", "erm", "evaluation", "figures", "lessons", "models"),
        *("predictors", "systems"),
    },
    "reproduction": FOUNDATION
    | {
        *("accounting", "datasets", "deep", "erm", "evaluation", "figures", "predictors"),
        "systems",
    },
}
# The command line and the package's own front door may reach everything below them.
TOP = {"cli", "__main__", "__init__", "front"}


def part_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports_of(path):
    """Every module named in an import statement of the file, at any depth."""
    result: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            result.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative imports hide the direction"
            assert node.module is not None
            result.add(node.module)
            if node.module in ("dpcore", "pages"):
                result.update(f"{node.module}.{alias.name}" for alias in node.names)
    return result


def sources(folder):
    return sorted(folder.rglob("*.py"))


def loaded_after(code):
    """Modules present after running `code` in a fresh interpreter."""
    report = "import json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.slow("starts fresh interpreters")
def test_imports_run_one_way():
    for path in sources(PACKAGE):
        part = part_of(path)
        if part in TOP:
            continue
        reached = {name.split(".")[1] for name in imports_of(path) if name.startswith("dpcore.")}
        assert reached <= ALLOWED[part] | {part}, path.relative_to(ROOT)


@pytest.mark.slow("starts fresh interpreters")
def test_no_part_of_the_package_names_streamlit():
    for path in sources(PACKAGE):
        top = {name.split(".")[0] for name in imports_of(path)}
        assert "streamlit" not in top, path.relative_to(ROOT)


HEAVY = {"streamlit", "torch", "pandas", "sklearn", "plotly", "matplotlib", "scipy", "numpy"}


def test_importing_the_package_loads_nothing_heavy():
    loaded = loaded_after("import dpcore; dir(dpcore)")
    assert not loaded & (HEAVY | {"sqlalchemy", "alembic", "psycopg"})


FIRST_VIEW = """
from dpcore.datasets import load, prepare, Preparation
from dpcore.evaluation.study import Study
from dpcore.evaluation.curves import closed_form
import dpcore.questions.cost.figure
split = prepare(load('breast_cancer'), Preparation())
closed_form(Study(methods=('nonprivate', 'outpert', 'opera')), split)
"""
FIRST_CONTROLS = """
from pages.explore import answer, controls
from pages.shared import risk_panel
from dpcore.accounting.risk import odds
from dpcore.guarantee import Adjacency, PrivacyBudget
risk_panel.figure.hundred(odds(PrivacyBudget(1.0, 1e-5), Adjacency.REPLACE_ONE))
"""
EPSILON_OF_A_RUN = """
from dpcore.accounting import pairs, pld
steps = pld.compose([pairs.PoissonGaussian(1.0, 0.1)], [10], delta=1e-5)
assert 0.1 < steps.epsilon(1e-5) < 10.0
"""


@pytest.mark.slow("starts fresh interpreters")
@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import dpcore; dpcore.Run(1.0)", HEAVY),
        ("import dpcore; dpcore.risk(1, 1e-5)", {"scipy.special", "sklearn", "pandas", "torch"}),
        ("import dpcore; dpcore.sigma(1, 1e-5)", {"sklearn", "pandas", "torch"}),
        ("import dpcore; dpcore.Study; dpcore.TrainingStudy; dpcore.TrainingConfig", {"torch"}),
        ("import dpcore; dpcore.PrivateLogisticRegression", {"torch", "streamlit"}),
        (FIRST_VIEW, {"torch", "streamlit"}),
        (FIRST_CONTROLS, {"pandas", "sklearn", "torch", "scipy.special", "scipy.optimize"}),
        ("import dpcore.cli.studies", {"dpcore.audit.attack", "scipy.stats", "torch"}),
        (EPSILON_OF_A_RUN, {"scipy.signal", "scipy.stats", "scipy.optimize"}),
    ],
)
def test_a_name_loads_what_it_needs_and_no_more(code, unwanted):
    assert not loaded_after(code) & unwanted


def needs_of(paths):
    """Module to the modules of the same files that it imports, at any depth."""
    names = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in paths
    }
    result: dict[str, set[str]] = {}
    for name, path in names.items():
        result[name] = set()
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Import):
                result[name] |= {each.name for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                inside = {f"{node.module}.{each.name}" for each in node.names}
                result[name] |= inside & set(names) or {node.module}
        result[name] &= set(names) - {name}
    return result


@pytest.mark.slow("starts fresh interpreters")
@pytest.mark.parametrize("folder", ["dpcore", "pages"])
def test_no_import_comes_back_to_where_it_began(folder):
    order = TopologicalSorter(needs_of(sources(ROOT / folder)))
    try:
        list(order.static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_nothing_but_pages_and_other_questions_names_a_derived_question():
    from dpcore.questions import names

    folders = {f"dpcore.questions.{name}" for name in names()}
    for path in sources(PACKAGE):
        if path.is_relative_to(PACKAGE / "questions") or path == PACKAGE / "cli" / "report.py":
            continue  # the report asks others
        named = {".".join(name.split(".")[:3]) for name in imports_of(path)}
        assert not named & folders, path.relative_to(ROOT)


def pages_reached(path):
    """The folders of `pages` that a file imports from."""
    return {name.split(".")[1] for name in imports_of(path) if name.startswith("pages.")}


@pytest.mark.parametrize("page", [*PAGES, "shared", "server"])
def test_no_page_imports_another_and_the_server_none(page):
    below = {"server"} if page == "server" else {page, "shared", "server"}
    for path in sources(ROOT / "pages" / page):
        assert pages_reached(path) <= below, path.relative_to(ROOT)


PAGE_SOURCES = [ROOT / "app.py", *sources(ROOT / "pages")]


def test_pages_hold_no_mathematics():
    mathematics = {"numpy", "scipy", "torch", "sklearn", "mpmath", "dp_accounting", "math"}
    for path in PAGE_SOURCES:
        top = {name.split(".")[0] for name in imports_of(path)}
        assert not top & mathematics, path.relative_to(ROOT)


def naming(kind, field, name):
    """The pages' files in which a node of this kind has this name."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in PAGE_SOURCES
        for node in ast.walk(parsed(path))
        if isinstance(node, kind) and getattr(node, field) == name
    }


def test_one_module_touches_the_session_state_one_polls_and_one_hands_out_files():
    assert naming(ast.Attribute, "attr", "session_state") == {"pages/shared/session.py"}
    assert naming(ast.Attribute, "attr", "download_button") == {"pages/shared/display.py"}
    assert naming(ast.keyword, "arg", "run_every") == {"pages/shared/work.py"}


def test_no_path_of_one_machine_is_written_down():
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    homes = ("/ho" + "me/", "/ro" + "ot/", "/Us" + "ers/", "/wo" + "rk/", "/tm" + "p/")
    named = [
        name
        for name in tracked
        if name.endswith((".py", ".toml", ".md", ".txt")) or name == ".ci/run"
        if any(home in (ROOT / name).read_text(encoding="utf-8") for home in homes)
    ]
    assert named == []


@pytest.mark.slow("starts fresh interpreters")
def test_no_class_name_has_two_meanings():
    places: dict[str, list[str]] = {}
    for path in (*sources(PACKAGE), *sources(ROOT / "pages"), *sources(ROOT / "benchmarks")):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
