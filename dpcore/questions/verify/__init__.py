"""Whether a method keeps what is claimed and proved: ε on trial by attacks on its outputs."""
