"""The program as a whole: exit codes, streams, and a start that loads little."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dpcore.cli import commands, main
from dpcore.cli.documentation import page
from dpcore.mechanisms.gaussian import analytic_sigma
from tests.cli.commands import refused

ROOT = Path(__file__).resolve().parents[2]
COMMANDS_PAGE = ROOT / "docs" / "commands.md"


LONG = "o" * 300
TRAIN = "train --dataset digits --network linear --epochs 1"
HOSTILE: list[tuple[str, tuple[str, ...]]] = [
    ("dance", ("dance", "sigma")),
    ("account --file /dev/zero --epsilon 3", ("file", "/dev/zero")),
    (f"sweep --methods nonprivate --epsilon 1 --runs 2 --output {LONG}", ("output", "too long")),
    (f"{TRAIN} --sigma 2 --output {LONG}", ("output", "too long")),
    (f"{TRAIN} --sigma 2 --learning-rate 1e308", ("learning rate", "1e308", "at most 10³⁰")),
    ("train --dataset features_npz --set file=/dev/zero --sigma 2", ("file", "/dev/zero")),
    ("sweep --dataset own --table /dev/zero --columns /dev/zero", ("columns", "/dev/zero")),
    ("split --epsilon 2 --delta 1e-5 --releases 12 --sensitivity 1e308", ("sensitivity", "1e308")),
    ("split --epsilon 2 --delta 1e-5 --weights 1e308,1e308", ("share", "1e308")),
    ("sigma --epsilon 1e308 --delta 1e-5", ("epsilon", "1e308", "at most 10⁶")),
    (f"sigma --epsilon 1 --delta 1e-5 --mechanism {'m' * 5_000}", ("mechanism", "mmm…'")),
    ("c" * 5_000, ("ccc…",)),
    (f"sigma --epsilon 1 --delta 1e-5 {'and ' * 1_000}", ("unrecognized", "and…")),
    (f"sigma --epsilon {'9' * 5_000} --delta 1e-5", ("epsilon", "above 0")),
    ("sigma --epsilon 1 --delta 1e-5 \x1b[31m", ("unrecognized", "\\x1b[31m")),
]


@pytest.mark.parametrize(("line", "words"), HOSTILE, ids=[line[:60] for line, _ in HOSTILE])
def test_hostile_input_is_refused_in_one_short_sentence(line, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sentence = refused(capsys, *line.split(" "))
    assert all(word in sentence for word in words), sentence
    assert len(sentence) < 500
    assert max(map(len, sentence.split())) <= 83


def examples():
    """The commands in the table of docs/commands.md."""
    rows = re.findall(r"^\| \[.*\| (`.*`) \|$", COMMANDS_PAGE.read_text("utf-8"), re.M)
    lines = [line for row in rows for line in re.findall(r"`([^`]*)`", row)]
    assert {line.split()[0] for line in lines} == set(commands())
    return lines


def test_the_page_of_commands_says_what_the_parsers_say():
    renewing = "python -m dpcore.cli.documentation > docs/commands.md"
    assert COMMANDS_PAGE.read_text("utf-8") == f"{page()}\n", renewing


RELEASED = ("stand-in", "twin", "publish", "release", "certificate", "predict")
"""They need files, and some the one before."""


@pytest.mark.slow("runs whole commands, which train")
def test_a_release_as_the_table_shows_it_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = "person: one row each\nnumber of persons: public\n"
    described = "age: 18 to 90 years\npredict ill: one of no, yes\n"
    (tmp_path / "columns.txt").write_text(said + described)
    for name in ("clinic.csv", "new.csv"):
        (tmp_path / name).write_text("age,ill\n" + "30,no\n80,yes\n" * 50)
    for word in ("ledger", *RELEASED):
        for line in (each for each in examples() if each.split()[0] == word):
            assert main(shlex.split(line)) == 0


@pytest.mark.slow("runs whole commands, which train")
@pytest.mark.parametrize("line", [each for each in examples() if each.split()[0] not in RELEASED])
def test_what_the_table_shows_works(line, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if line.startswith("reproduce"):  # minutes of training: a bad number of runs ends it
        assert "runs" in refused(capsys, *shlex.split(line), "--runs", "0")
        return
    (tmp_path / "account.csv").write_text("kind,noise\nrelease,20\n", encoding="utf-8")
    scores = np.random.default_rng(0).standard_normal(400).tolist()
    worlds = [f"{place % 2},{score}" for place, score in enumerate(scores)]
    (tmp_path / "outputs.csv").write_text("\n".join(["world,score", *worlds]), encoding="utf-8")
    shorter = ["--runs", "1"] if line.startswith("sweep") else []
    assert main([*shlex.split(line), *shorter]) == 0


def run(*arguments, **environment):
    command = [sys.executable, "-m", "dpcore", *arguments]
    told = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=told)


@pytest.mark.slow("runs whole commands, which train")
def test_the_module_runs_as_a_program():
    # A terminal without Greek letters gets escapes that JSON reads.
    line = ("sigma", "--epsilon", "1", "--delta", "1e-5", "--json")
    good = run(*line, PYTHONIOENCODING="ascii")
    assert (good.returncode, good.stderr) == (0, "")
    told = json.loads(good.stdout)
    assert told["sigma"] == analytic_sigma(1.0, 1e-5)
    assert "ε" in told["conditions"][0]["condition"]
    bad = run("sigma", "--epsilon", "-1", "--delta", "1e-5")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert len(bad.stderr.splitlines()) == 1


@pytest.mark.slow("runs whole commands, which train")
def test_a_reader_that_leaves_early_is_no_error():
    many = ["sweep", "--every-run", "--methods", "opera", "--epsilon", "0.5,5", "--runs", "300"]
    command = [sys.executable, "-m", "dpcore", *many]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"dataset,")
        process.stdout.close()
        errors = process.stderr.read()
        assert process.wait(60) == 0
    assert errors == b""


def test_the_help_loads_nothing_heavy():
    code = "import sys; from dpcore.cli import main\n"
    code += "try: main(['--help'])\nexcept SystemExit: pass\n"
    code += "print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "dpcore" in loaded
    assert not loaded & {"numpy", "scipy", "pandas", "sklearn", "torch", "plotly", "matplotlib"}
