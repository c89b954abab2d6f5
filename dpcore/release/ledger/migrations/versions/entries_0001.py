"""The table of entries, which the database itself keeps from being changed or deleted."""

import sqlalchemy as sa
from alembic import op

from dpcore.release.ledger.guards import POSTGRESQL, SQLITE

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
