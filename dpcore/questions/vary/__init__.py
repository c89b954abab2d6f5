"""What one setting does to a private training within the same ε."""
