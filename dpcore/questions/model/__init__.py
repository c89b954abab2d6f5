"""A model of the survey: accuracy, or what it is judged by, against ε."""
