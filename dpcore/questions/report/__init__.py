"""One private model at one ε, as plain data and as one file of HTML."""
