"""The table of entries, which the database itself keeps from being changed or deleted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

FINAL = "BEGIN SELECT RAISE(ABORT, 'ledger entries are final'); END"
SQLITE = (
    f"CREATE TRIGGER ledger_entries_update BEFORE UPDATE ON ledger_entries {FINAL}",
    f"CREATE TRIGGER ledger_entries_delete BEFORE DELETE ON ledger_entries {FINAL}",
    # INSERT OR REPLACE deletes without a trigger, whichever unique value two entries share. NULLs
    # share none.
    "CREATE TRIGGER ledger_entries_insert BEFORE INSERT ON ledger_entries WHEN NEW.number <> "
    "(SELECT COALESCE(MAX(number), 0) + 1 FROM ledger_entries) OR EXISTS (SELECT 1 FROM "
    f"ledger_entries WHERE hash = NEW.hash OR refers = NEW.refers) {FINAL}",
)
POSTGRESQL = (
    "CREATE FUNCTION ledger_entries_final() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'ledger entries are final'; END $$",
    "CREATE TRIGGER ledger_entries_final BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries "
    "FOR EACH STATEMENT EXECUTE FUNCTION ledger_entries_final()",
)


revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the table and its guards."""
    op.create_table(
        "ledger_entries",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("data_set", sa.Text, nullable=False),
        sa.Column("refers", sa.Integer),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False, unique=True),
    )
    op.create_index("ledger_entries_of", "ledger_entries", ["data_set", "number"])
    # One certificate an entry; where nothing is referred to, NULLs are distinct.
    op.create_index("ledger_entries_refers", "ledger_entries", ["refers"], unique=True)
    guards = {"sqlite": SQLITE, "postgresql": POSTGRESQL}
    for statement in guards[op.get_bind().dialect.name]:
        op.execute(statement)
