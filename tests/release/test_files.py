"""The folder of a release, and its files against their certificate: every altered byte is found."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dpcore.cli import main
from dpcore.guarantee import PrivacyBudget
from dpcore.release.certificate import Certificate, certificate
from dpcore.release.check import check
from dpcore.release.files import hashes, new_folder, write
from dpcore.release.twin.counting import CARD, counting_for
from tests.release.test_release import ledger_with, released_from
from tests.release.twin.test_twin import made_from

NAMES = ("model.json", "model.onnx", "card.md", "certificate.html")


@pytest.fixture(scope="module")
def made():
    ledger = ledger_with("memory")
    return released_from(ledger, features="additive"), made_from(ledger)


def folder_with(files, place):
    (place / "hidden").mkdir()
    write(files, place / "hidden", place / "out")
    return place / "out"


@pytest.fixture
def folder(tmp_path, made):
    return folder_with(made[0].files(), tmp_path)


def told(capsys, *arguments):
    """What `certificate check` says as JSON; whether it holds is also its exit status."""
    status = main(["certificate", "check", *map(str, arguments), "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert status == (0 if found["holds"] else 2)
    return found


def altered(content):
    """The content with one byte changed, at either end and in between, one less and one more."""
    for place in (0, len(content) // 3, len(content) - 1):
        yield content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
    yield content[:-1]
    yield content + b"\n"


@pytest.mark.slow("releases models many times over")
def test_an_altered_byte_in_each_file_of_a_folder_is_found(folder, capsys):
    unchanged = dict.fromkeys(NAMES, "unchanged")
    assert told(capsys, folder)["files"] == unchanged
    for name in (*unchanged, "certificate.yaml"):
        content = (folder / name).read_bytes()
        for other in altered(content):
            (folder / name).write_bytes(other)
            found = told(capsys, folder)
            assert not found["holds"], name
            if name in unchanged:
                assert found["files"] == {**unchanged, name: "altered"}
                assert name in " ".join(found["problems"])
        (folder / name).write_bytes(content)
    (folder / "model.onnx").rename(folder / "more\x1b[2J.onnx")
    (folder / "сertificate.html").write_text("ε ≤ 0.1")  # a Cyrillic letter
    assert main(["certificate", "check", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any("not checked: " in line and "'сertificate.html'" in line for line in lines)
    assert "model.onnx: missing" in lines
    assert r"more\x1b[2J.onnx: not mentioned" in lines
    assert "The certificate holds." in lines


def test_a_folder_of_no_release_or_of_two_is_refused(folder, capsys):
    (folder / "twin.yaml").write_text("format: dpcore twin 1\n")
    assert main(["certificate", "check", str(folder)]) == 2
    (folder / "twin.yaml").unlink()
    (folder / "certificate.yaml").unlink()
    assert main(["certificate", "check", str(folder)]) == 2
    assert capsys.readouterr().err.count("certificate.yaml or twin.yaml") == 2


def test_a_twin_and_its_description_are_covered(tmp_path, made, capsys):
    out = folder_with(made[1].files(), tmp_path)
    assert told(capsys, out)["files"] == {"twin.csv": "unchanged", "columns.txt": "unchanged"}
    (problem,) = check(made[1].card.to_yaml(), None, made[0].model).problems
    assert "The model is not the one" in problem
    for name in ("twin.csv", "columns.txt"):
        content = (out / name).read_bytes()
        for other in altered(content):
            (out / name).write_bytes(other)
            found = told(capsys, out)
            assert (found["holds"], found["files"][name]) == (False, "altered")
        (out / name).write_bytes(content)


@pytest.fixture
def unnamed(folder, made):
    """The folder with a certificate that names no files."""
    facts = json.loads(json.dumps(made[0].certificate.document["facts"]))
    del facts["hashes"]["files"]
    (folder / "certificate.yaml").write_text(certificate(facts).to_yaml(), "utf-8")
    return folder


def test_a_certificate_that_names_no_files_covers_what_its_model_says_alone(unnamed, capsys):
    expected = dict.fromkeys(NAMES, "not mentioned") | {"model.json": "unchanged"}
    assert told(capsys, unnamed)["files"] == expected
    model = json.loads((unnamed / "model.json").read_text())
    model["weights"][0] += 1.0
    (unnamed / "model.json").write_text(json.dumps(model))
    found = told(capsys, unnamed)
    assert (found["holds"], found["files"]["model.json"]) == (False, "altered")


@pytest.mark.parametrize(
    "files",
    [
        [{"name": "card.md", "sha256": "x"}],
        [{"name": "../card.md", "sha256": "0" * 64}],
        [{"name": "card.md", "sha256": "0" * 64}] * 2,
        [{"name": f"card{number}.md", "sha256": "0" * 64} for number in range(30)],
        {"card.md": "0" * 64},
        None,
    ],
    ids=str,
)
def test_hashes_of_a_strange_kind_hold_for_no_file(files, made):
    facts = json.loads(json.dumps(made[0].certificate.document["facts"]))
    facts["hashes"]["files"] = files
    document = certificate(facts).document
    text = Certificate(json.loads(json.dumps(document))).to_yaml()
    found = check(text, files={"card.md": lambda: b"x", "model.json": lambda: b"{}"})
    assert found.problems
    assert "unchanged" not in found.files.values()


def rewritten(released, **files):
    """A folder whose certificate states the hashes of files that somebody changed."""
    facts = json.loads(json.dumps(released.certificate.document["facts"]))
    named = {**released.named, **{name.replace("_", "."): each for name, each in files.items()}}
    facts["hashes"]["files"] = hashes(named)
    return {**named, "certificate.yaml": certificate(facts).to_yaml().encode()}


def found_in(folder, text="certificate.yaml"):
    rest = {name: partial(bytes, each) for name, each in folder.items() if name != text}
    return check(folder[text].decode(), files=rest)


def test_no_hash_makes_another_file_the_one_of_the_model(made):
    released = made[0]
    assert found_in(rewritten(released)).problems == ()
    weights = [-weight for weight in released.model.weights]
    other = replace(released.model, weights=tuple(weights)).to_onnx()
    card = released.named["card.md"]
    bolder = card.replace("Proved: ε ≤ ".encode(), "Proved: ε ≤ 0.01, not ".encode())
    assert bolder != card
    for name, content in (("model.onnx", other), ("model.onnx", b"x"), ("card.md", bolder)):
        found = found_in(rewritten(released, **{name.replace(".", "_"): content}))
        (problem,) = found.problems
        assert problem.startswith(f"{name} is not")
        assert found.files[name] == "altered"


def test_a_twins_columns_and_rows_are_those_of_its_card(made):
    twin = made[1]
    facts = json.loads(json.dumps(twin.card.document["facts"]))
    csv, columns = (twin.files()[name] for name in ("twin.csv", "columns.txt"))

    def found(facts):
        text = CARD.card(facts).to_yaml().encode()  # type: ignore[arg-type]
        return found_in({"twin.csv": csv, "columns.txt": columns, "t": text}, "t")

    assert found(facts).problems == ()
    tables = facts["mechanism"]["tables"]
    bolder = copy.deepcopy(facts)
    made_bolder = counting_for(PrivacyBudget(**facts["budget"]), 1, facts["records"], "zero-out")
    bolder["mechanism"] = made_bolder.to_json()
    bolder["attack"] |= {"lower_bound": 0.0, "mu_lower_bound": 0.0}
    (problem,) = found(bolder).problems
    assert f"has {tables} columns beside the outcome, but the card is about 1" in problem
    (problem,) = found(facts | {"records": facts["records"] * 10}).problems
    assert "rows, but the card says" in problem


def test_a_file_that_no_model_is_so_large_as_is_not_looked_into(unnamed, made, capsys):
    (unnamed / "model.json").write_text(made[0].model.to_json() + " " * 200_000, "utf-8")
    (problem,) = told(capsys, unnamed)["problems"]
    assert "200 000" in problem


@pytest.mark.parametrize("name", NAMES)
def test_what_cannot_be_read_is_named_and_the_others_are_listed(name, folder, capsys):
    all_checks = told(capsys, folder)["checks"]
    (folder / name).unlink()
    (folder / name).mkdir()
    (folder / "notes.txt").symlink_to(folder / "nowhere")  # no certificate names it: left unread
    found = told(capsys, folder)
    (problem,) = found["problems"]
    assert problem.startswith(f"{name} was not checked: ")
    states = dict.fromkeys(NAMES, "unchanged") | {name: "unreadable", "notes.txt": "not mentioned"}
    assert found["files"] == states
    # Nothing was compared with a model that was not read.
    assert found["checks"] == (all_checks[:-2] if name == "model.json" else all_checks)


@pytest.mark.slow("releases models many times over")
def test_onnx_is_the_same_to_the_byte_wherever_it_is_made(made):
    program = (
        "import sys; from dpcore.release.model import ReleasedModel; "
        "sys.stdout.buffer.write(ReleasedModel.from_json(sys.stdin.read()).to_onnx())"
    )
    files = made[0].files()
    again = subprocess.run(
        [sys.executable, "-c", program],
        input=files["model.json"],
        capture_output=True,
        check=True,
        env={"PYTHONHASHSEED": "1", "PYTHONPATH": str(Path(__file__).parents[2])},
    ).stdout
    assert again == files["model.onnx"]


def test_no_time_in_the_folder_tells_how_long_a_training_took(tmp_path):
    output = tmp_path / "out"
    with new_folder(output) as hidden:
        write({"model.json": b"{}", "card.md": b"#"}, hidden, output)
    found = [output, *output.iterdir()]
    assert len(found) == 3
    assert {path.stat().st_mtime_ns % 60_000_000_000 for path in found} == {0}
