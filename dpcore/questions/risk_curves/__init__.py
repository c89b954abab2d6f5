"""What private models say about each column, also corrected by hand."""
