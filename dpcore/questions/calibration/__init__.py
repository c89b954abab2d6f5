"""Whether the risks of private models are right."""
