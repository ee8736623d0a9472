"""What the step player is given for each algorithm."""
