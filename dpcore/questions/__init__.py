"""The questions that can be asked of private data, one folder each."""
