"""Counts, means, spreads and quantiles of a table, all measured by one noisy release."""
