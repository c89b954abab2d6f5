"""What a page shows, as command lines and Python that give the same numbers."""
