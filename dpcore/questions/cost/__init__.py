"""What privacy costs: accuracy and what is beside it against ε."""
