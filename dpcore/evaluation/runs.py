"""Single runs of a training or a release."""

MANY = 10
"""Runs from which on a band holds nine of ten of them; of fewer it holds all."""
