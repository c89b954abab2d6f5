"""Whether outputs from elsewhere refute the ε that is claimed of them."""
