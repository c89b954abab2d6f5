"""What the program answers is what it answered when `tests/golden/` was written.

The files are renewed by `python -m pytest tests/test_golden.py --renew`; each change of them is
wanted, and has its reason. Numbers are kept to 1e-9, and those of a training to `TRAINED`.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

import dpcore
from dpcore.cli import COMMANDS, main
from tests.golden_answers import Answers, kinds, short

TRAINED = 1e-6
"""Of numbers that a training gives: one thread or two round their sums otherwise."""
SMALL = "--dataset cohort --records 100 --methods opera --epsilon 1 --runs 2"
TO_LEDGER = "--ledger ledger.db --data-set clinic"
RELEASED = f"{TO_LEDGER} --actor B --table table.csv --columns columns.txt"
LINES = f"""
account --file account.csv --epsilon 3 --output year.ics
audit --method opera --noise-share 0.667 --runs 200
calibration {SMALL} --corrected
datasets
decision-curve {SMALL} --threshold 0.2,0.5
delta --epsilon 1 --sigma 4
epsilon --sigma 2.8 --sampling-rate 0.01 --decay 0.99 --decay-every epoch --epochs 2 --delta 1e-4
epsilon --sigma 2.8 --sampling-rate 0.01 --epochs 2 --delta 1e-4 --accountant rdp
epsilon --sigma 4 --delta 1e-5 --mechanism rdp
groups {SMALL} --by sex
methods
methods --paper 001 --status proved
model --model list
model --model naive-bayes --dataset breast_cancer --epsilon 1 10 --runs 2
plan --solve epochs --epsilon 2 --delta 1e-5 --records 10000 --batch 100 --sigma 1.1
plan --solve sigma --epsilon 2 --delta 1e-5 --records 10000 --batch 100 --steps 500
report --dataset cohort --records 100 --epsilon 1 --threshold 0.2 --by sex --runs 2
reproduce paper-000 --figure 2 --datasets breast_cancer --runs 1 --output figures
risk --epsilon 1 --delta 1e-5 --sigma 4 --prior 0.5 --fpr 0.01
risk-curves {SMALL} --features additive --column age
sigma --epsilon 1 --delta 1e-5 --sensitivity 1 --ladder
sigma --epsilon 1 --delta 1e-5 --sensitivity 1 --mechanism analytic
split --epsilon 2 --delta 1e-5 --releases 156
split --epsilon 3 --delta 1e-5 --weights 1,1,2,2 --accountant pld
stand-in --columns columns.txt --records 50 --output standin.csv
sweep --dataset breast_cancer --methods nonprivate,opera,outpert,objpert --epsilon 0.1,1 --runs 2
sweep --dataset cohort --records 100 --methods dpgd,inputpert,decision-tree --epsilon 1 --runs 2
train --dataset digits --network linear --epsilon 3 --epochs 2 --decay 0.9 --runs 1 --seed 1
"""
DRAWN = f"""
ledger create {TO_LEDGER} --person-unit patient --epsilon 3 --delta 1e-5 --owner A
ledger left {TO_LEDGER}
twin {RELEASED} --epsilon 0.5 --delta 1e-6 --output twin
release {RELEASED} --epsilon 1 --delta 1e-6 --output out --name Risk --description Ill \
--curator Clinic --intended-use Teaching --region Nowhere
certificate check out --ledger ledger.db
certificate check twin --ledger ledger.db
predict --model out/model.json --table table.csv
ledger history {TO_LEDGER}
train --dataset digits --network linear --sigma 9 --epochs 1 --runs 1 --output run
"""
"""Each line after those that it needs; the system draws their noise, or gives their days."""
ACCOUNT = """kind,what,count,first,every,noise,records,batch,epochs
training,,2,2031-01-01,quarter,2,10000,256,10
release,Weekly count,52,2031-01-01,week,20,,,
"""
COLUMNS = "person: one row each\nnumber of persons: public\nage: 18 to 90 years\nsex: one of f, m\n"
COLUMNS += "predict ill: one of no, yes\n"
TABLE = "age,sex,ill\n" + "30,f,no\n61,m,yes\n45,f,yes\n78,m,no\n" * 15


TIMES = frozenset(["seconds"])
DRAWN_NAMES = frozenset(
    [
        "released",
        "hash",
        "hashes",
        "lower_bound",
        "mu_lower_bound",
        "versions",
        "chain_head",
        "at",
        "certificates",
        "previous",
        "certificate_hash",
        "ill",
        "risk",
        "noise_alone_from",
        "noise_alone_to",
        "measures",
    ]
)
"""Of values that noise, the day or the machine decides."""


def public(value: Any, drawn: frozenset[str] = TIMES) -> Any:
    """An answer with the types alone of all that is drawn."""
    if isinstance(value, dict):
        return {
            name: kinds(each) if name in drawn else public(each, drawn)
            for name, each in value.items()
        }
    return [public(each, drawn) for each in value] if isinstance(value, list) else value


def signature(thing: Any) -> dict[str, str]:
    """What a name of the front door is, and how it is called."""
    if not inspect.isclass(thing):
        return {"kind": type(thing).__name__, "signature": called(thing)}
    # What Python itself calls differs from version to version.
    if issubclass(thing, Enum):
        return {"kind": "enumeration", "members": ", ".join(map(repr, thing))}
    if issubclass(thing, Exception):
        return {"kind": "exception", "bases": str([each.__name__ for each in thing.__mro__])}
    methods = inspect.getmembers(thing, inspect.isfunction)
    return {"kind": "class", "signature": called(thing)} | {
        f".{name}": called(each) for name, each in methods if not name.startswith("_")
    }


def called(thing: Any) -> str:
    return re.sub(r" at 0x\w+", "", str(inspect.signature(thing)))


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.fixture
def renewed(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--renew"))


@pytest.fixture(scope="module", autouse=True)
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder and a cache of their own, and no real data."""
    folder = tmp_path_factory.mktemp("golden")
    for name, text in (
        *(("account.csv", ACCOUNT), ("columns.txt", COLUMNS), ("table.csv", TABLE)),
    ):
        (folder / name).write_text(text, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("DPCORE_DATA", "DPCORE_LEDGER", "DPCORE_SCHEDULER"):
            patch.delenv(name, raising=False)
        patch.setenv("DPCORE_CACHE", str(folder / "cache"))
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        yield folder


def answer_of(line: str) -> Any:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main([*line.split(), "--json"]) == 0
    return json.loads(out.getvalue())


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("line", lines(LINES))
def test_a_command_answers_as_before(
    line: str, renewed: bool, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(alone)
    answer = short(public(answer_of(line)))
    Answers("commands", renewed=renewed).check(line, answer, TRAINED if "train" in line else 1e-9)


@pytest.mark.usefixtures("one_thread")
def test_commands_on_drawn_noise_answer_in_the_same_form(
    renewed: bool, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(alone)
    golden = Answers("drawn", renewed=renewed)
    for line in lines(DRAWN):
        golden.check(line, short(public(answer_of(line), DRAWN_NAMES)))
    golden.names(lines(DRAWN))


def test_every_command_has_a_golden_answer(renewed: bool) -> None:
    Answers("commands", renewed=renewed).names(lines(LINES))
    assert {line.split()[0] for line in lines(LINES) + lines(DRAWN)} == set(COMMANDS)


def test_every_name_of_the_front_door_is_as_before(renewed: bool) -> None:
    golden = Answers("front_door", renewed=renewed)
    for name in dpcore.__all__:
        golden.check(name, signature(getattr(dpcore, name)))
    golden.names(dpcore.__all__)
    assert set(dir(dpcore)) >= set(dpcore.__all__)
