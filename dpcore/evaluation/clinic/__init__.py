"""The measures of a clinic: what a model is worth to those who decide by its probabilities."""
