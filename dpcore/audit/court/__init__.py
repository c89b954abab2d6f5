"""The library court: published violations of privacy claims, each beside its mended twin."""
