"""Judging models: studies, curves over ε, and their measures."""

MANY = 10
"""Runs from which on a band holds nine of ten of them; of fewer it holds all."""
