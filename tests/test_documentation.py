"""Links in the documentation lead to files, and its records of decisions are complete and short."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "docs" / "decisions"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PYTHON_ENDS = {
    "/".join(parts[place:])
    for folder in ("dpcore", "pages", "tests", "benchmarks")
    for parts in (path.relative_to(ROOT).parts for path in (ROOT / folder).rglob("*.py"))
    for place in range(len(parts))
} | {path.name for path in ROOT.glob("*.py")}
"""How paths of source files end."""
MAX_README_WORDS, MAX_RECORDS, MAX_RECORD_WORDS = 900, 45, 250


def _links(text):
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    return re.findall(r"\]\(\s*([^)\s]+)", prose)


def test_relative_links_lead_to_existing_files():
    missing = [
        (page.name, target)
        for page in PAGES
        for link in _links(page.read_text(encoding="utf-8"))
        if (target := link.partition("#")[0]) and not re.match(r"[a-z]+:", target)
        if not (page.parent / target).exists()
    ]
    assert missing == []


def test_python_files_that_are_named_exist():
    missing = [
        (page.name, name)
        for page in PAGES
        for name in re.findall(r"`((?:\w+/)*\w+\.py)`", page.read_text(encoding="utf-8"))
        if name not in PYTHON_ENDS and "NAME" not in name
    ]
    assert missing == []


def test_the_readme_is_read_in_two_minutes():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= MAX_README_WORDS


def test_each_record_is_short_complete_and_once_in_the_index():
    index = (RECORDS / "README.md").read_text(encoding="utf-8")
    records = {path.name: path.read_text(encoding="utf-8") for path in RECORDS.glob("*.md")}
    del records["README.md"]
    assert 0 < len(records) <= MAX_RECORDS
    titles = {
        name: text.partition("\n")[0].removeprefix("# ")
        for name, text in records.items()
        if re.findall(r"^##? (\w+)", text, flags=re.M)[1:] == ["Decision", "Why", "Rejected"]
        and len(text.split()) <= MAX_RECORD_WORDS
    }
    assert titles.keys() == records.keys()
    listed = re.findall(r"^- \[(.*)\]\((.*)\)$", index, flags=re.M)
    assert sorted(listed) == sorted((title, name) for name, title in titles.items())
