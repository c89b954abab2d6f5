"""What keeps entries from being changed or deleted, by the database itself."""

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
