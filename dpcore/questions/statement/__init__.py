"""Whether a statement of privacy from elsewhere stands: its ε computed anew, and what was done."""
