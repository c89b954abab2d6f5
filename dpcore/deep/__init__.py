"""Private deep learning: networks, per-example clipping, noise schedules at work, training.

Needs torch, which is imported only when something here is used.
"""
