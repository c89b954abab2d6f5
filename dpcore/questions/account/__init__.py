"""What trainings, releases and models spend together, what is left of a budget, and when."""
