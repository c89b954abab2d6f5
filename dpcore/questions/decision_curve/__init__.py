"""What deciding by private models is worth, at each threshold."""
