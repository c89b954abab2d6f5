"""Trials: command lines, files and links as strangers write them, by the thousand.

Each is drawn from a seed and judged alone: an answer, or one sentence that says what is wrong.
"""
