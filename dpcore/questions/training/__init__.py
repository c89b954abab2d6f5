"""What a network's private training learns and spends, epoch by epoch."""
