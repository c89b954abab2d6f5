"""`account`: the figures of the page from a file, and the calendar that it writes."""

import csv
import json
import re
import shlex

import pytest

from dpcore.accounting.account import Account, state
from dpcore.accounting.entries import AccountEntry, to_csv
from dpcore.cli import main
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.questions.account.told import calendar, command, snippet
from tests.accounting.test_account import MIXES, TRAINING, WEEKLY
from tests.cli.commands import refused

ACCOUNTS = {
    "all kinds": Account(PrivacyBudget(3.0, 1e-5), tuple(MIXES["all kinds"])),
    "by share": Account(
        PrivacyBudget(2.5, 1e-6),
        tuple(AccountEntry.of(e.row() | {"noise": None, "share": 1.5}) for e in (TRAINING, WEEKLY)),
    ),
    "replace-one": Account(
        PrivacyBudget(3.0, 1e-5), tuple(MIXES["all kinds"]), Adjacency.REPLACE_ONE
    ),
    "empty": Account(PrivacyBudget(3.0, 1e-5), ()),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(line, capsys):
    words = shlex.split(line.replace("\\\n", " "))
    assert words[:3] == ["python", "-m", "dpcore"]
    assert main(words[3:]) == 0
    return capsys.readouterr().out


@pytest.mark.slow("composes many distributions of the privacy loss")
@pytest.mark.parametrize("name", ACCOUNTS)
def test_command_and_snippet_give_the_same_numbers(name, folder, capsys):
    account = ACCOUNTS[name]
    (folder / "account.csv").write_text(to_csv(account.entries), encoding="utf-8")
    result = json.loads(said(f"{command(account)} --json", capsys))
    statement = state(account)
    assert result["epsilon"] == statement.guarantee.epsilon
    assert result["left"] == statement.left
    assert (result["delta"], result["adjacency"]) == (account.budget.delta, account.adjacency)
    assert [row["epsilon"] for row in result["days"]] == list(statement.table["epsilon_spent"])
    exec(compile(snippet(account), "snippet", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert float(printed[0].split()[0]) == statement.guarantee.epsilon
    assert float(printed[1]) == statement.left


def test_the_rule_of_delta_is_the_default(folder, capsys):
    (folder / "a.csv").write_text("kind,noise\nrelease,20\n", encoding="utf-8")
    line = "python -m dpcore account --file a.csv --epsilon 3 --json"
    assert json.loads(said(line, capsys))["delta"] == 1e-5
    assert json.loads(said(f"{line} --records 60000", capsys))["delta"] == 1e-6


@pytest.mark.slow("composes many distributions of the privacy loss")
def test_the_calendar_is_written_for_a_table_and_for_a_diary(folder, capsys):
    account = ACCOUNTS["all kinds"]
    (folder / "account.csv").write_text(to_csv(account.entries), encoding="utf-8")
    said(f"{command(account)} --output days.csv", capsys)
    with (folder / "days.csv").open(encoding="utf-8", newline="") as file:
        days = [row["day"] for row in csv.DictReader(file)]
    assert days == [str(day) for day in state(account).table["day"]]
    said(f"{command(account)} --output days.ics", capsys)
    assert (folder / "days.ics").read_bytes().decode() == calendar(state(account))


def test_a_diary_reads_each_event_whole():
    long = "A, B; C \\ " + "é" * 30
    account = Account(PrivacyBudget(3.0, 1e-5), (AccountEntry.of(WEEKLY.row() | {"what": long}),))
    text = calendar(state(account))
    assert max(len(line.encode()) for line in text.split("\r\n")) <= 75
    unfolded = text.replace("\r\n ", "").split("\r\n")
    assert unfolded.count("SUMMARY:A\\, B\\; C \\\\ " + "é" * 30) == 52
    assert unfolded.count("DTSTART;VALUE=DATE:20260115") == 1
    assert unfolded.count("DTEND;VALUE=DATE:20260116") == 1
    assert len({line for line in unfolded if line.startswith("UID:")}) == 52
    # Never less than was spent.
    told = [float(one) for one in re.findall(r"ε = ([0-9.]+) of 3 is spent", "\n".join(unfolded))]
    spent = state(account).table["epsilon_spent"]
    assert all(0 <= said - true < 2e-3 * true for said, true in zip(told, spent, strict=True))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("--file none.csv --epsilon 3", "file is 'none.csv', but it must be a file"),
        ("--file a.csv", "epsilon is missing"),
        ("--file a.csv --epsilon lots", "epsilon is 'lots'"),
        ("--file a.csv --epsilon 3 --delta 0", "delta is 0"),
        ("--file a.csv --epsilon 3 --adjacency swap", "adjacency is 'swap'"),
        ("--file a.csv --epsilon 3 --output days.txt", "output is 'days.txt'"),
        ("--file a.csv --epsilon 3 --output none/days.ics", "output is 'none/days.ics'"),
        ("--file b.csv --epsilon 3", "Row 1: noise is -1"),
        ("--file c.csv --epsilon 3", "file is 'c.csv', but it must be a text file"),
    ],
)
def test_malformed_input_is_one_sentence(line, sentence, folder, capsys):
    (folder / "a.csv").write_text("kind,noise\nrelease,20\n", encoding="utf-8")
    (folder / "b.csv").write_text("kind,noise\nrelease,-1\n", encoding="utf-8")
    (folder / "c.csv").write_bytes(b"\xff\xfe\x00")
    assert refused(capsys, "account", *line.split()).startswith(sentence)
