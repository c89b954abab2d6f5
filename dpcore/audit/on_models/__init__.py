"""Attacks on the survey's models: each file defines `settings()`, those its model must survive."""
