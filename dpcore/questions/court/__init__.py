"""Whether published violations of privacy claims are caught: each case, and its mended twin."""
