"""Attacks on the survey's models, one file for each that has a proof.

Each defines `settings()`, the attacks that its model must survive.
"""
