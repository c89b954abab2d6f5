"""What a table's summary could say in public, each number with its interval."""
