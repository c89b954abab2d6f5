"""What a result may at most tell about one person."""
