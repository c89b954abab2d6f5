"""What one training run spends, or which setting of it keeps a budget."""
