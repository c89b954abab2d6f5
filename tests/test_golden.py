"""What the program answers is what it answered when `tests/golden/` was written.

The files are renewed by `python -m pytest --all tests/test_golden.py --renew`; each change of them
is wanted, and has its reason. Numbers are kept to `EXACT`, and those of a training to `TRAINED`.
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
import streamlit as st

import dpcore
from dpcore.cli import commands, main
from tests.golden_answers import EXACT, FOLDER, TRAINED, Answers, Said, kinds, short
from tests.golden_pages import answer, opened, quicken, said

UNTRAINED = ("account", "atlas", "delta", "epsilon", "ledger", "plan", "risk", "sigma", "split")
"""Commands and pages whose numbers are kept to `EXACT`, as are those of `PUBLIC` names."""


def digits(line: str) -> tuple[float, float]:
    return EXACT if re.split(r"[ ?]", line)[0] in UNTRAINED else TRAINED


def lines(name: str) -> list[str]:
    return (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()


COMMAND_LINES = lines("commands")
DRAWN_LINES = lines("drawn")
"""Each after those that it needs; the system draws their noise, or gives their days."""
LINKS = {line[5:]: line.startswith("said") for line in lines("links")}
"""Each with whether all that its page says is kept, too."""
FILES = {
    "account.csv": "kind,what,count,first,every,noise,records,batch,epochs\n"
    "training,,2,2031-01-01,quarter,2,10000,256,10\n"
    "release,Weekly count,52,2031-01-01,week,20,,,\n",
    "outputs.csv": "world,score\n" + "in,1.5\nout,-0.5\nin,0.25\nout,0.75\n" * 100,
    "columns.txt": "person: one row each\nnumber of persons: public\nage: 18 to 90 years\n"
    "sex: one of f, m\npredict ill: one of no, yes\n",
    "table.csv": "age,sex,ill\n" + "30,f,no\n61,m,yes\n45,f,yes\n78,m,no\n" * 15,
}
"""What the commands read."""
TIMES = frozenset(["seconds"])
DRAWN_NAMES = frozenset(
    (
        *("released", "hash", "hashes", "lower_bound", "mu_lower_bound", "versions", "at"),
        *("chain_head", "certificates", "previous", "certificate_hash", "measures"),
        *("ill", "risk", "noise_alone_from", "noise_alone_to"),
    )
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


@pytest.fixture
def renewed(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--renew"))


@pytest.fixture(scope="module", autouse=True)
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder and a cache of their own, and no real data."""
    folder = tmp_path_factory.mktemp("golden")
    for name, text in FILES.items():
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
@pytest.mark.parametrize("line", COMMAND_LINES, ids=lambda line: line[:90])
def test_a_command_answers_as_before(
    line: str, renewed: bool, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(alone)
    answer = short(public(answer_of(line)))
    Answers("commands", renewed=renewed).check(line, answer, digits(line))


@pytest.mark.usefixtures("one_thread")
def test_commands_on_drawn_noise_answer_in_the_same_form(
    renewed: bool, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(alone)
    golden = Answers("drawn", renewed=renewed)
    for line in DRAWN_LINES:
        golden.check(line, short(public(answer_of(line), DRAWN_NAMES)), digits(line))
    golden.names(DRAWN_LINES)


def test_every_command_has_a_golden_answer(renewed: bool) -> None:
    Answers("commands", renewed=renewed).names(COMMAND_LINES)
    assert {line.split()[0] for line in COMMAND_LINES + DRAWN_LINES} == set(commands())


def test_every_name_of_the_front_door_is_as_before(renewed: bool) -> None:
    golden = Answers("front_door", renewed=renewed)
    for name in dpcore.__all__:
        golden.check(name, signature(getattr(dpcore, name)), EXACT)
    golden.names(dpcore.__all__)
    assert set(dir(dpcore)) >= set(dpcore.__all__)


def forget() -> None:
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture(scope="module")
def quick(alone: Path) -> Iterator[None]:
    """Pages that share nothing with those of other tests."""
    forget()
    with pytest.MonkeyPatch.context() as patch:
        quicken(patch)
        yield
    forget()


@pytest.mark.slow("opens forty pages")
@pytest.mark.usefixtures("one_thread", "quick")
@pytest.mark.parametrize("link", LINKS, ids=lambda link: link[:90])
def test_a_page_answers_and_says_what_it_did(link: str, renewed: bool) -> None:
    page = link.partition("?")[0]
    app = opened(link, "learn_show" if link.startswith("learn?") else "")
    Answers("pages", renewed=renewed).check(link, answer(app), digits(link))
    if LINKS[link]:
        Said(page, renewed=renewed).check(link, list(said(app)))


def test_every_link_has_a_golden_answer(renewed: bool) -> None:
    Answers("pages", renewed=renewed).names(list(LINKS))
    for page in {link.partition("?")[0] for link in LINKS}:
        states = [link for link, is_said in LINKS.items() if is_said and link.startswith(page)]
        Said(page, renewed=renewed).keep(states)
