"""Tables that a release is made from: what is known of them, and whose rows they are."""
