"""Links in the documentation lead to files, and the records of decisions are complete."""

import re
from pathlib import Path

import pytest

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
NAMES = sorted(path.name for path in RECORDS.glob("*.md") if path.name != "README.md")


def _links(text: str) -> list[str]:
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    return re.findall(r"\]\(\s*([^)\s]+)", prose)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_relative_links_lead_to_existing_files(page):
    targets = [link.partition("#")[0] for link in _links(page.read_text(encoding="utf-8"))]
    relative = [target for target in targets if target and not re.match(r"[a-z]+:", target)]
    assert [target for target in relative if not (page.parent / target).exists()] == []


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.parent != RECORDS], ids=lambda path: path.name
)
def test_python_files_that_are_named_exist(page):
    # Records of decisions name what was there on their day.
    named = re.findall(r"`((?:\w+/)*\w+\.py)`", page.read_text(encoding="utf-8"))
    missing = [name for name in named if name not in PYTHON_ENDS and "NAME" not in name]
    assert missing == []


def test_numbers_of_records_have_no_gaps():
    assert NAMES
    assert [name[:5] for name in NAMES] == [f"{n:04d}-" for n in range(1, len(NAMES) + 1)]


@pytest.mark.parametrize("name", NAMES)
def test_record_has_number_date_and_status_and_stands_in_the_index(name):
    text = (RECORDS / name).read_text(encoding="utf-8")
    head = re.match(
        r"# (?P<number>\d+)\. (?P<title>\S.*)\n\n"
        r"Date: (?P<date>\d{4}-\d\d-\d\d)\n"
        r"Status: (?P<status>accepted|superseded by \[(\d{4})\]\(\5-[a-z0-9-]+\.md\))\n",
        text,
    )
    assert head, "the head of the record is not as README.md describes it"
    assert f"{int(head['number']):04d}" == name[:4]
    row = f"| {name[:4]} | [{head['title']}]({name}) | "
    rows = (RECORDS / "README.md").read_text(encoding="utf-8").splitlines()
    result = [line for line in rows if line.startswith(row)]
    assert len(result) == 1
    assert result[0].endswith(f" | {head['date']} | {head['status']} |")
