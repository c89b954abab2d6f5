"""What there is to choose from, as text and as JSON."""

import pytest

from dpcore import systems
from dpcore.datasets import catalogue, images
from dpcore.methods import register
from dpcore.systems.standings import CLAIM_UNCHECKED
from tests.cli.commands import parsed, refused, said


def test_the_catalogue_in_text_and_in_json(capsys):
    tables, sets = [entry.key for entry in catalogue()], list(images.register())
    lines = said(capsys, "datasets").splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  ")] == tables + sets
    assert [line for line in lines if not line.startswith("  ")] == [
        "Tables:",
        "Images and features, for networks:",
    ]
    result = parsed(capsys, "datasets")
    assert [entry["key"] for entry in result["datasets"]] == tables
    assert all(entry["licence"] and entry["columns"] for entry in result["datasets"])
    assert [entry["key"] for entry in result["images"]] == sets
    assert all(entry["licence"] and entry["traps"] for entry in result["images"])


def test_the_register_in_text_and_in_json(capsys):
    result = parsed(capsys, "methods")["methods"]
    assert {entry["method"] for entry in result} == set(register())
    for entry in result:
        assert entry["claim"]
        assert entry["proof"]
        assert entry["status"]
    verdicts = {(entry["method"], entry["edition"]): entry["status"] for entry in result}
    assert verdicts["grpua", "published"] == "claim not supported"
    assert verdicts["grpua", "sound"] == "proved"
    text = said(capsys, "methods")
    assert "grpua (published): claim not supported" in text
    assert text.count("  claim: ") == text.count("  proof: ") == len(result)


def test_every_system_is_listed_with_its_status(capsys):
    result = parsed(capsys, "methods")["systems"]
    assert [entry["system"] for entry in result] == [each.key for each in systems.selected()]
    written = {system.key for system in systems.written()}
    for entry in result:
        assert entry["status"] in set(map(str, systems.STATUSES))
        assert entry["claim"]
        assert entry["proof"]
        assert (entry["status"] == "described only") == (entry["status_of"] == "")
        assert entry["claim_checked"] == (entry["status_of"] == "as published")
        assert entry["works"] or entry["system"] not in written
        assert next(iter(entry)) == "verdict"
        assert entry["verdict"] == systems.standing(systems.system_named(entry["system"])).verdict
    text = said(capsys, "methods")
    proved = [entry["claim_checked"] for entry in result if entry["status"] == "proved"]
    printed, ran = proved.count(True), proved.count(False)
    others = sum(e["status"] != "proved" and e["sound_form"] == "proved" for e in result)
    assert others
    assert (
        f"{len(proved)} of {len(result)} proved: {printed} as printed, {ran} in our corrected "
        f"version; of {others} others, a corrected one." in text
    )
    verdict = systems.standing(systems.system_named("grpua")).verdict
    assert f"{verdict} GRPUA (grpua): claim not supported\n  corrected version: proved\n" in text
    assert text.count(CLAIM_UNCHECKED) == sum(
        entry["status_of"] == "as it runs here" for entry in result
    )
    assert text.count("  claimed: ") == text.count("  known: ") == len(result)
    assert text.count("  broke: ") == sum(len(entry["breaks"]) for entry in result)
    assert text.count("  leaks: ") == sum(len(entry["leaks"]) for entry in result)
    assert text.count("  runs: ") == sum(len(entry["runs"]) for entry in result)


@pytest.mark.parametrize("status", ["proved", "claim not supported", "described only"])
def test_the_list_is_cut_down_by_paper_and_status(capsys, status):
    everything = parsed(capsys, "methods")
    cut = parsed(capsys, "methods", "--paper", "001", "--status", status)
    for kind in ("methods", "systems"):
        assert cut[kind] == [
            entry
            for entry in everything[kind]
            if entry["status"] == status and (entry["paper"] or "").startswith("001")
        ]
    assert cut["systems"]


def test_known_failures_are_listed_alone(capsys):
    everything = parsed(capsys, "methods")["systems"]
    cut = parsed(capsys, "methods", "--failures")
    assert cut["systems"] == [entry for entry in everything if entry["breaks"] or entry["leaks"]]
    assert {entry["status"] for entry in cut["systems"]} >= {"proved", "claim not supported"}
    assert cut["methods"] == []


def test_the_list_is_searched_and_narrowed_as_on_the_page(capsys):
    options = ("--search", "k means", "--kind", "clusters and components", "--runnable")
    cut = parsed(capsys, "methods", *options)
    assert [entry["system"] for entry in cut["systems"]] == ["k-means"]
    assert cut["methods"] == []
    leaking = parsed(capsys, "methods", "--implementations", "known to leak")["systems"]
    assert leaking
    assert all(entry["leaks"] for entry in leaking)
    assert said(capsys, "methods", "--search", "qwertz").strip() == systems.NOTHING_FOUND


def test_an_unknown_paper_or_status_is_refused(capsys):
    assert "paper is '005', but it must be one of 000, 001" in refused(
        capsys, "methods", "--paper", "005"
    )
    assert "status is 'good'" in refused(capsys, "methods", "--status", "good")
    assert "kind is 'x'" in refused(capsys, "methods", "--kind", "x")
    assert "implementations is 'x'" in refused(capsys, "methods", "--implementations", "x")


def test_an_unknown_option_is_refused(capsys):
    assert "--verbose" in refused(capsys, "datasets", "--verbose")
