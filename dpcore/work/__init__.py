"""Long work: what can be handed in, who does it, and how one waits for it."""
