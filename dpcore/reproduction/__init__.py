"""The papers' experiments, run again, each with a verdict on what the paper concludes from it."""
