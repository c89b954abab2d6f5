"""Attacks that try to show a privacy claim wrong, and the lower bounds on ε that they prove."""
