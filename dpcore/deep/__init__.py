"""Private deep learning; torch, which it needs, is imported when something here is used."""
