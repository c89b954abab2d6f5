"""Which proved method is best at each ε, and from which ε on a wanted accuracy or error holds."""
