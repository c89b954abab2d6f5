"""What clipping and noise cost a private training, beside the same without them."""
