"""One theorem a file: what it covers, and the ε it gives."""
