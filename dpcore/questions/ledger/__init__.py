"""What was spent of a data set's cap."""
