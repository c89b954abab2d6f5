"""What a released model says of a person."""
