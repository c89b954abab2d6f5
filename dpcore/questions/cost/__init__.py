"""Accuracy against ε, of every method and run."""
