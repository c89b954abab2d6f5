"""Plan's figures, one subject a file."""
