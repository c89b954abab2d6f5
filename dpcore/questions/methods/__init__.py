"""What the papers claim, what is proved, and what runs here."""
