"""What there is to choose from, as text and as JSON."""

from __future__ import annotations

from dpcore.datasets import ENTRIES, images
from dpcore.methods import register
from tests.cli.commands import Captured, parsed, refused, said


def test_the_catalogue_in_text_and_in_json(capsys: Captured) -> None:
    tables, sets = [entry.key for entry in ENTRIES], list(images.register())
    lines = said(capsys, "datasets").splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  ")] == tables + sets
    assert [line for line in lines if not line.startswith("  ")] == [
        "Tables:",
        "Images and features, for networks:",
    ]
    found = parsed(capsys, "datasets")
    assert [entry["key"] for entry in found["datasets"]] == tables
    assert all(entry["licence"] and entry["columns"] for entry in found["datasets"])
    assert [entry["key"] for entry in found["images"]] == sets
    assert all(entry["licence"] and entry["traps"] for entry in found["images"])


def test_the_register_in_text_and_in_json(capsys: Captured) -> None:
    found = parsed(capsys, "methods")["methods"]
    assert {entry["method"] for entry in found} == set(register())
    for entry in found:
        assert entry["claim"]
        assert entry["proof"]
        assert entry["status"]
    verdicts = {(entry["method"], entry["edition"]): entry["status"] for entry in found}
    assert verdicts["grpua", "published"] == "claim not supported"
    assert verdicts["grpua", "sound"] == "proved"
    text = said(capsys, "methods")
    assert "grpua (published): claim not supported" in text
    assert text.count("  claim: ") == text.count("  proof: ") == len(found)


def test_an_unknown_option_is_refused(capsys: Captured) -> None:
    assert "--verbose" in refused(capsys, "datasets", "--verbose")
