"""What must not harm the ledger: kills, a full disk, a changed file, an old copy put back."""

from __future__ import annotations

import gc
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from dpcore.errors import InvalidInput
from dpcore.release.documents import canonical, digest
from dpcore.release.ledger import Ledger, PureSpend, chain, store

ROOT = Path(__file__).resolve().parents[3]
KILLS = int(os.environ.get("DPCORE_LEDGER_KILLS", "15"))
"""benchmarks/ledger.py asks for 200."""
TERMS = {
    **{"person_unit": "one patient", "adjacency": "zero-out"},
    **{"epsilon": 1.0, "delta": 1e-5, "owner": "A"},
}
BY = {"actor": "B", "purpose": "a count"}


def written(url, writers, kills, each, *, early=False):
    words = [url, str(writers), str(kills), str(each), str(int(early))]
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "release" / "ledger" / "writers.py", *words],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return json.loads(done.stdout)


def is_harmed(answer):
    return any(answer[name] for name in ("problems", "failed", "lost", "twice"))


def held(answer):
    return not is_harmed(answer) and answer["kept"] == answer["room"] > 0


@pytest.mark.slow("many writers, some killed, and a database")
def test_fifty_writers_that_are_killed_lose_and_overspend_nothing(tmp_path):
    answer = written(str(tmp_path / "ledger.db"), 50, KILLS, 0.02)
    assert held(answer)
    # A ledger that answers before it has committed is found out.
    assert is_harmed(written(str(tmp_path / "broken.db"), 2, 20, 0.005, early=True))


@pytest.mark.slow("many writers, some killed, and a database")
def test_fifty_writers_on_postgresql_lose_and_overspend_nothing(postgresql):
    answer = written(postgresql, 50, KILLS, 0.02)
    assert held(answer)
    ledger = Ledger.open(postgresql)
    ledger.create("other", **TERMS)
    ledger.spend("other", PureSpend(0.1), **BY)
    for change in (
        "DELETE FROM ledger_entries",
        "TRUNCATE ledger_entries",
        "UPDATE ledger_entries SET hash = 'a'",
    ):
        with pytest.raises(sa.exc.DatabaseError, match="final"), ledger._store.engine.begin() as by:
            by.exec_driver_sql(change)
    assert ledger.verify() == []
    ledger.close()
    with pytest.raises(InvalidInput, match=r"nobody:\*\*\*@") as refused:
        Ledger.open(postgresql.replace("ledger@", "nobody:secret@"))
    assert "secret" not in str(refused.value)


@pytest.fixture
def place(tmp_path):
    """A ledger of one data set and two spends, which nobody has open."""
    place = tmp_path / "ledger.db"
    ledger = Ledger.open(place)
    ledger.create("clinic", **TERMS)
    for _ in range(2):
        ledger.spend("clinic", PureSpend(0.1), **BY)
    return place


@pytest.mark.slow("many writers, some killed, and a database")
@pytest.mark.parametrize(
    ("pragma", "reason"),
    [("max_page_count = 1", "disk is full"), ("query_only = 1", "readonly database")],
)
def test_a_ledger_that_cannot_be_written_spends_nothing(place, pragma, reason):
    ledger = Ledger.open(place)
    before = ledger.history("clinic")

    @sa.event.listens_for(ledger._store.engine, "begin")
    def limited(connection):
        connection.exec_driver_sql(f"PRAGMA {pragma}")

    def spend(times):
        for _ in range(times):
            ledger.spend("clinic", PureSpend(0.01), **BY)

    with pytest.raises(InvalidInput, match=rf"could not be written.*{reason}"):
        spend(9)  # a page that is begun may have room left
    after = ledger.history("clinic")
    assert after[: len(before)] == before
    assert ledger.left("clinic").account == after[-1].account
    assert ledger.verify() == []
    again = Ledger.open(place)
    again.spend("clinic", PureSpend(0.01), **BY)


def test_a_row_that_says_otherwise_than_its_entry_is_told(place):
    ledger = Ledger.open(place)
    ledger.attach("clinic", 2, "0" * 64)
    assert ledger.verify() == []
    text = ledger.history("clinic")[-1].document
    other = json.dumps(text, sort_keys=True, ensure_ascii=False)
    for change, told in (
        ("refers = NULL WHERE number = 4", "refers to another entry"),
        ("refers = 3 WHERE number = 2", "refers to another entry"),
        (f"document = '{other}', hash = '{digest(other)}' WHERE number = 4", "another way"),
    ):
        changed = place.with_name("changed.db")
        shutil.copy(place, changed)
        with unguarded(changed) as connection:
            connection.execute(f"UPDATE ledger_entries SET {change}")
        opened = Ledger.open(changed)
        (problem,) = opened.verify()
        assert told in problem


def pragma(place, name):
    with closing(sqlite3.connect(place)) as connection:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]


def test_a_copy_of_a_ledger_that_is_open_has_every_payment(place, tmp_path):
    ledger, other = Ledger.open(place), Ledger.open(place)
    for count in range(4):
        paid = ledger.spend("clinic", PureSpend(0.1), **BY)
        other.left("clinic")
        copy = Ledger.open(shutil.copy(place, tmp_path / "copy.db"))
        assert copy.left("clinic") == paid.left
        assert copy.verify([paid.chain_head]) == []
        last = ledger.backup(tmp_path / f"backup {count}.db")
        assert last is not None
        assert (last.number, last.hash) == (paid.entry, paid.chain_head)
        assert Ledger.open(tmp_path / f"backup {count}.db").verify([paid.chain_head]) == []
    assert {each.suffix for each in tmp_path.iterdir()} == {".db"}
    with pytest.raises(InvalidInput, match="must be a new file"):
        ledger.backup(place)
    with ledger._store.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 3  # EXTRA


def test_what_is_no_ledger_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "text").write_text("no database " * 1000)
    folder = tmp_path / "none" / "ledger.db"
    for place in (tmp_path / "text", folder, "mysql://a/b", "x://", tmp_path):
        with pytest.raises(InvalidInput) as refused:
            Ledger.open(place)
        assert "\n" not in str(refused.value)
    with pytest.raises(InvalidInput, match="a ledger that is there"):
        Ledger.open(tmp_path / "new.db", must_exist=True)
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize(
    "tables",
    [
        "CREATE TABLE cookies (name)",
        "CREATE TABLE alembic_version (version_num TEXT); INSERT INTO alembic_version VALUES ('9')",
    ],
)
def test_a_database_of_another_program_is_left_as_it_is(tmp_path, tables):
    place = tmp_path / "other.db"
    connection = sqlite3.connect(place)
    connection.executescript(tables)
    connection.close()
    before = place.read_bytes()
    with pytest.raises(InvalidInput, match="another program"):
        Ledger.open(place)
    assert place.read_bytes() == before


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://127.0.0.1:1/base?user=u&password=s3cret",
        "postgresql://u:p@s3cret@127.0.0.1:1/base",
        "postgresql://u:s3cret/x@127.0.0.1:1/base",
        "postgresql://u:12/s3cret@127.0.0.1:1/base",
    ],
)
def test_no_refusal_repeats_a_password(url):
    pytest.importorskip("psycopg")
    with pytest.raises(InvalidInput) as refused:
        Ledger.open(url)
    assert "s3cret" not in str(refused.value)


def forge(document):
    document["details"]["spend"]["epsilon"] = 1e-3


def forge_with_account(document):
    forge(document)
    document["account"]["totals"]["epsilon"] = 2e-3


def earlier(document):
    document["at"] = "2001-01-01T00:00:00.000000+00:00"


def overspend(document):
    """More than the cap, with an account that says so."""
    document["details"]["spend"]["epsilon"] = 5.0
    after = chain.LedgerAccount.from_json(document["account"])
    cheap = after.spent(PureSpend(5.0), document["details"]["spend"])
    document["account"] = json.loads(canonical(cheap.to_json()))


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "spend": (forge, "states another account"),
    "account": (forge_with_account, "states another account"),
    "time": (earlier, "before the entry that it follows"),
    "cap": (overspend, "more than the cap"),
    "unknown": (lambda document: document.update(kind="gift"), "unknown kind"),
    "again": (lambda document: document.update(kind="created"), "out of place"),
}


@contextmanager
def unguarded(place):
    """The file opened by someone who takes the guards off."""
    with closing(sqlite3.connect(place, isolation_level=None)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='trigger'"):
            connection.execute(f"DROP TRIGGER {name}")
        yield connection


def third_entry(place):
    with closing(sqlite3.connect(place)) as connection:
        rows = connection.execute("SELECT document FROM ledger_entries WHERE number=3")
        return json.loads(rows.fetchone()[0])


def replace_third_entry(place, text, *, rehashed=True):
    with unguarded(place) as connection:
        connection.execute("UPDATE ledger_entries SET document=? WHERE number=3", (text,))
        if rehashed:
            connection.execute("UPDATE ledger_entries SET hash=? WHERE number=3", (digest(text),))


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("rehashed", [False, True])
def test_a_changed_entry_is_found(place, name, rehashed):
    change, sentence = CHANGES[name]
    document = third_entry(place)
    change(document)
    replace_third_entry(place, canonical(document), rehashed=rehashed)
    ledger = Ledger.open(place)
    result = " ".join(ledger.verify())
    assert (sentence if rehashed else "was changed") in result
    if not rehashed:
        with pytest.raises(InvalidInput, match="was changed"):
            ledger.spend("clinic", PureSpend(0.01), **BY)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("account.totals.rdp", 5),
        ("account.totals.mu_squared", -1.0),
        ("account.epsilon", "many"),
        ("account.last", {"kind": "pure", "more": 1}),
        *(("details", None), ("details.spend", {}), ("details.purpose", 7), ("at", 7)),
        *(("", []), ("", None), ("", "deep")),
    ],
)
def test_a_rehashed_entry_that_is_none_is_one_sentence(place, path, value):
    document = inner = third_entry(place)
    *way, last = path.split(".")
    for name in way:
        inner = inner[name]
    inner[last] = value
    text = json.dumps(document if path else value)
    replace_third_entry(place, "[" * 100_000 if value == "deep" else text)
    ledger = Ledger.open(place)
    assert "Entry 3 of the ledger is unreadable" in " ".join(ledger.verify())
    spend = partial(ledger.spend, spend=PureSpend(0.01), **BY)
    for ask in (ledger.left, ledger.history, spend):
        with pytest.raises(InvalidInput, match="Entry 3 of the ledger is unreadable"):
            ask("clinic")


def test_a_ledger_that_was_found_wrong_is_not_left_locked(place, monkeypatch):
    with unguarded(place) as connection:
        connection.execute("UPDATE ledger_entries SET hash='' WHERE number=1")
    monkeypatch.setattr(store, "PATIENCE", 0.5)
    ledger, other = Ledger.open(place), Ledger.open(place)
    gc.disable()  # which would let go of it sooner or later
    try:
        assert ledger.verify() != []
        other.spend("clinic", PureSpend(0.01), **BY)
    finally:
        gc.enable()


INSERT = "INSERT OR REPLACE INTO ledger_entries VALUES"


def test_the_database_itself_refuses_changes(place):
    ledger = Ledger.open(place)
    paid = ledger.spend("clinic", PureSpend(0.1), **BY)
    ledger.attach("clinic", paid.entry, "a" * 64)
    for change in (
        "DELETE FROM ledger_entries",
        "UPDATE ledger_entries SET document = '{}'",
        f"{INSERT} (2, 'clinic', NULL, '{{}}', 'a')",
        # A number of its own does not let it replace the one that it shares another value with.
        f"{INSERT} (6, 'clinic', {paid.entry}, '', 'b')",
        f"{INSERT} (6, 'clinic', NULL, '', '{paid.chain_head}')",
    ):
        with (
            closing(sqlite3.connect(place)) as connection,
            pytest.raises(sqlite3.IntegrityError, match="final"),
            connection,
        ):
            connection.execute(change)
    assert ledger.verify() == []


@pytest.mark.parametrize("number", [1, 2])
def test_an_entry_taken_out_is_found(place, number):
    with unguarded(place) as connection:
        connection.execute("DELETE FROM ledger_entries WHERE number=?", (number,))
    ledger = Ledger.open(place)
    (problem,) = ledger.verify()
    assert problem.startswith(f"Entry {number} is missing: entry {number + 1} ")


def test_a_second_certificate_of_a_spend_is_found(place):
    ledger = Ledger.open(place)
    paid = ledger.spend("clinic", PureSpend(0.1), **BY)
    last = ledger.attach("clinic", paid.entry, "a" * 64)
    (document,) = (
        each.document for each in ledger.history("clinic") if each.hash == last.chain_head
    )
    assert ledger.verify() == []
    forged = {**document, "number": last.entry + 1, "previous": last.chain_head}
    forged["details"] = {"certificate_hash": "b" * 64}
    text = canonical(forged)
    # Without a number in its column it passes the database's guards.
    row = (last.entry + 1, "clinic", None, text, digest(text))
    connection = sqlite3.connect(place, isolation_level=None)
    connection.execute("INSERT INTO ledger_entries VALUES (?, ?, ?, ?, ?)", row)
    connection.close()
    assert "no spend of “clinic” without one" in " ".join(ledger.verify())


def test_an_old_copy_put_back_is_found_by_the_chain_head(place, tmp_path):
    copy = shutil.copy(place, tmp_path / "copy.db")
    ledger = Ledger.open(place)
    head = ledger.spend("clinic", PureSpend(0.2), **BY).chain_head
    assert ledger.verify([head]) == []
    shutil.copy(copy, place)
    ledger = Ledger.open(place)
    ledger.spend("clinic", PureSpend(0.3), **BY)
    assert ledger.verify() == []
    assert "an older copy of it was put back" in " ".join(ledger.verify([head]))
