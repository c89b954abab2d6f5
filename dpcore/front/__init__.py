"""The package's front door: one function for each of the most frequent questions.

Every function here calls the same code as the pages and the commands, and only adds the reading of
its arguments. Each import waits for the question that needs it.
"""
