"""Private deep learning: networks, per-example clipping, noise schedules, training.

Needs torch, which is imported only when something here is used.
"""
