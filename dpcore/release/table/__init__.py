"""Tables that a release is made from: whose rows they are, and what is wrong with a file."""
