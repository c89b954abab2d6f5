"""What deciding by private models means to groups of people."""
