"""How much noise releases need that share one budget."""
