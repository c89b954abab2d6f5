"""The database of the entries: SQLite by default, or PostgreSQL by its URL.

One writer at a time: SQLite by BEGIN IMMEDIATE, PostgreSQL by a lock on the table, which readers do
not feel. A commit is on the disk before it returns (synchronous_commit=on; synchronous=EXTRA, which
also syncs the folder that the journal goes from). Between two writes SQLite's file is whole, with
no journal beside it, and no connection stays open.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool, StaticPool

from dpcore.errors import InvalidInput, naming_extras, reject

MEMORY = "memory"
VERSIONS = ("0001",)
"""The migrations, the newest last."""
PATIENCE = 60.0
"""Seconds that a writer waits for its turn."""
MIGRATION_LOCK = 0x6C6564676572  # any number, the same in all processes

ENTRIES = sa.Table(
    "ledger_entries",
    sa.MetaData(),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("data_set", sa.Text),
    sa.Column("refers", sa.Integer),
    sa.Column("document", sa.Text),
    sa.Column("hash", sa.Text),
)
EVERY = sa.select(
    ENTRIES.c.number, ENTRIES.c.data_set, ENTRIES.c.document, ENTRIES.c.hash, ENTRIES.c.refers
).order_by(ENTRIES.c.number)
"""All entries, as `chain.problems` takes them."""


class Store:
    """An opened ledger's database; for its place see `Ledger.open`."""

    def __init__(self, place: str | Path, *, must_exist: bool = False) -> None:
        url = _url(place)
        # A query may hold a password, too.
        self.name = MEMORY if place == MEMORY else url.set(query={}).render_as_string()
        file = url.database if url.drivername == "sqlite" and "uri" not in url.query else None
        if must_exist and file is not None and not Path(file).is_file():
            raise reject("ledger", file, "a ledger that is there")
        is_alone = url.drivername == "sqlite" and url.database is None
        self._lock = threading.RLock() if is_alone else None
        self.engine = _engine(url)
        self._migrate()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that reads."""
        with self._refusing("could not be read"), self._alone(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The one transaction that may write; what it wrote is final once this returns."""
        advice = (
            "could not be written; look into its history before you try again, as what stands "
            "there is spent"
        )
        with self._refusing(advice), self._alone(), self._writer() as chosen, chosen.begin():
            if self.engine.dialect.name == "postgresql":
                chosen.execute(sa.text("LOCK TABLE ledger_entries IN EXCLUSIVE MODE"))
            yield chosen

    def _writer(self) -> Connection:
        return self.engine.connect().execution_options(ledger_writes=True)

    def backup(self, target: Path) -> None:
        """Copy the file as it stands between two writes to a new one, by SQLite's own way."""
        if self.engine.dialect.name != "sqlite":
            raise InvalidInput("The ledger is on a server, but only a file is copied: use pg_dump.")
        try:
            target.open("xb").close()
        except OSError:
            raise reject("output", str(target), "a new file, in a folder that exists") from None
        try:
            with self.reading() as connection, closing(sqlite3.connect(target)) as copy:
                raw = connection.connection.driver_connection
                assert isinstance(raw, sqlite3.Connection)
                raw.backup(copy)
        except BaseException as error:
            target.unlink()
            if isinstance(error, sqlite3.Error):
                raise InvalidInput(f"The ledger could not be copied ({error}).") from error
            raise

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One thread at a time where all share the one connection to memory."""
        if self._lock is None:
            yield
        else:
            with self._lock:
                yield

    @contextmanager
    def _refusing(self, what: str) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            origin = error.orig if isinstance(error, DBAPIError) else error
            reason = " ".join(str(origin).split())[:200]
            raise InvalidInput(f"The ledger {self.name} {what} ({reason}).") from error

    def _migrate(self) -> None:
        with self._refusing("could not be opened"), self._alone():
            with self.engine.connect() as connection:
                version = _version(connection)
                if version == VERSIONS[-1]:
                    return
                # Another program's file is left as it is; a server's database may hold both.
                is_file = self.engine.dialect.name == "sqlite"
                is_other = is_file and sa.inspect(connection).get_table_names()
                if version not in VERSIONS if version else is_other:
                    raise InvalidInput(
                        f"The database {self.name} is another program's, or a newer version's, but "
                        "it must be a ledger of this one, or empty."
                    )
            with self._writer() as chosen, chosen.begin():
                if self.engine.dialect.name == "postgresql":
                    lock = sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)
                    chosen.execute(sa.select(lock))
                _upgrade(chosen)


def _url(place: str | Path) -> URL:
    if place == MEMORY:
        return URL.create("sqlite")
    if isinstance(place, Path) or "://" not in place:
        return URL.create("sqlite", database=str(Path(place).expanduser()))
    try:
        url = make_url(place)
    except (ArgumentError, ValueError):
        url = None
    # Not repeated: it may hold a password, of which a part may have been read as something else.
    if url is None or (url.get_backend_name() != "sqlite" and "@" in f"{url.host}{url.database}"):
        raise InvalidInput(
            "The ledger's URL cannot be read: signs such as @, : and / in a password must be "
            "written as %40, %3A and %2F."
        )
    if url.get_backend_name() == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if url.drivername != "sqlite":
        raise reject("ledger", url.drivername, "a file, or a URL of sqlite or postgresql")
    return url


def _engine(url: URL) -> Engine:
    if url.drivername != "sqlite":
        with naming_extras():
            return sa.create_engine(
                url, connect_args={"options": "-c synchronous_commit=on"}, pool_pre_ping=True
            )
    arguments: dict[str, Any] = {"timeout": PATIENCE, "check_same_thread": False}
    pool = NullPool if url.database else StaticPool
    engine = sa.create_engine(url, connect_args=arguments, poolclass=pool)

    @sa.event.listens_for(engine, "connect")
    def connected(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin below, and nowhere else
        connection.execute("PRAGMA synchronous=EXTRA")

    @sa.event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get("ledger_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _version(connection: Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()


def _upgrade(connection: Connection) -> None:
    """Run the migrations that are missing, within the caller's transaction."""
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    script, newest = ScriptDirectory(str(Path(__file__).with_name("migrations"))), VERSIONS[-1]

    def steps(revision: Any, _: object) -> Any:
        return script._upgrade_revs(newest, revision)

    with EnvironmentContext(Config(), script, fn=steps, destination_rev=newest) as environment:
        environment.configure(connection=connection, transactional_ddl=True)
        with environment.begin_transaction():
            environment.run_migrations()
