"""The program as a whole: exit codes, streams, and a start that loads little."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from dpcore.cli import COMMANDS, main
from dpcore.cli.documentation import page
from dpcore.mechanisms.gaussian import analytic_sigma
from tests.cli.commands import refused

ROOT = Path(__file__).resolve().parents[2]
COMMANDS_PAGE = ROOT / "docs" / "commands.md"

BAD: list[tuple[str, tuple[str, ...]]] = [
    ("", ("command",)),
    ("dance", ("dance", "sigma")),
]


@pytest.mark.parametrize(("line", "words"), BAD, ids=[line or "nothing" for line, _ in BAD])
def test_bad_input_is_refused_in_one_sentence(line, words, capsys):
    sentence = refused(capsys, *line.split())
    assert all(word in sentence for word in words), sentence


LONG = "o" * 300
TRAIN = "train --dataset digits --network linear --epochs 1"
HOSTILE: list[tuple[str, tuple[str, ...]]] = [
    ("account --file /dev/zero --epsilon 3", ("file", "/dev/zero")),
    (f"sweep --methods nonprivate --epsilon 1 --runs 2 --output {LONG}", ("output", "too long")),
    (f"{TRAIN} --sigma 2 --output {LONG}", ("output", "too long")),
    (f"reproduce paper-003 --figure 2 --output {LONG}", ("output", "too long")),
    (f"{TRAIN} --sigma 2 --learning-rate 1e308", ("learning rate", "1e+308", "at most 1e+30")),
    ("train --dataset features_npz --set file=/dev/zero --sigma 2", ("file", "/dev/zero")),
    ("sweep --dataset own --table /dev/zero --columns /dev/zero", ("columns", "/dev/zero")),
    ("split --epsilon 2 --delta 1e-5 --releases 12 --sensitivity 1e308", ("sensitivity", "1e+308")),
    ("split --epsilon 2 --delta 1e-5 --weights 1e308,1e-308", ("share", "1e-308")),
    ("split --epsilon 2 --delta 1e-5 --weights 1e308,1e308", ("share", "1e+308")),
    ("sigma --epsilon 1e308 --delta 1e-5", ("epsilon", "1e+308", "at most 1e+06")),
    ("epsilon --sigma 1e308 --delta 1e-5", ("sigma", "1e+308", "at most 1e+100")),
    (f"sigma --epsilon 1 --delta 1e-5 --mechanism {'m' * 5_000}", ("mechanism", "mmm…'")),
    ("c" * 5_000, ("ccc…",)),
    (f"sigma --epsilon 1 --delta 1e-5 {'and ' * 1_000}", ("unrecognized", "and…")),
    (f"methods --status {'s' * 5_000}", ("status", "sss…'")),
    (f"sigma --epsilon {'9' * 5_000} --delta 1e-5", ("epsilon", "above 0")),
    (f"sweep --runs {'9' * 5_000}", ("runs", "999…'")),
    ("sigma --epsilon 1 --delta 1e-5 \x1b[31m", ("unrecognized", "\\x1b[31m")),
]


@pytest.mark.parametrize(("line", "words"), HOSTILE, ids=[line[:60] for line, _ in HOSTILE])
def test_hostile_input_is_refused_in_one_short_sentence(line, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sentence = refused(capsys, *line.split(" "))
    assert all(word in sentence for word in words), sentence
    assert len(sentence) < 500
    assert max(map(len, sentence.split())) <= 83


def test_help_is_no_error(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    assert "sweep" in capsys.readouterr().out


MANY = ["sweep", "--methods", "opera", "--epsilon", "0.5,5", "--runs", "300"]


def examples():
    """The commands in the table of docs/commands.md."""
    rows = re.findall(r"^\| \[.*\| (`.*`) \|$", COMMANDS_PAGE.read_text("utf-8"), re.M)
    lines = [line for row in rows for line in re.findall(r"`([^`]*)`", row)]
    assert {line.split()[0] for line in lines} == set(COMMANDS)
    return lines


def test_the_page_of_commands_says_what_the_parsers_say():
    renewing = "python -m dpcore.cli.documentation > docs/commands.md"
    assert COMMANDS_PAGE.read_text("utf-8") == f"{page()}\n", renewing


def test_the_command_in_the_readme_is_among_the_examples():
    shown = re.findall("`python -m dpcore ([^`]*)`", (ROOT / "README.md").read_text("utf-8"))
    assert shown
    assert set(shown) <= set(examples())


RELEASED = ("stand-in", "twin", "release", "certificate", "predict")
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
    shorter = ["--runs", "1"] if line.startswith("sweep") else []
    assert main([*shlex.split(line), *shorter]) == 0


@pytest.mark.slow("runs whole commands, which train")
@pytest.mark.parametrize("accountant", ["pld", "rdp"])
def test_noise_that_all_but_vanishes_prints_an_answer_and_no_warning(accountant):
    line = "epsilon --sigma 1 --sensitivity 1e7 --sampling-rate 0.01 --steps 100 --delta 1e-5"
    done = run(*line.split(), "--accountant", accountant, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["epsilon"] > 1e12


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "dpcore", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, **environment},
    )


@pytest.mark.slow("runs whole commands, which train")
def test_the_module_runs_as_a_program():
    good = run("sigma", "--epsilon", "1", "--delta", "1e-5", "--json")
    assert (good.returncode, good.stderr) == (0, "")
    assert json.loads(good.stdout)["sigma"] == analytic_sigma(1.0, 1e-5)
    bad = run("sigma", "--epsilon", "-1", "--delta", "1e-5")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert len(bad.stderr.splitlines()) == 1


@pytest.mark.slow("runs whole commands, which train")
def test_a_terminal_without_greek_letters_gets_escapes_that_json_reads():
    done = run("sigma", "--epsilon", "1", "--delta", "0.1", "--json", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "ε" in json.loads(done.stdout)["conditions"][0]["condition"]


@pytest.mark.slow("runs whole commands, which train")
def test_a_reader_that_leaves_early_is_no_error():
    command = [sys.executable, "-m", "dpcore", *MANY]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    ) as process:
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
