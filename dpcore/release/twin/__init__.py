"""A private twin: noisy counts of a table, paid once, and made-up records drawn from them."""
