"""What the step player is given for each algorithm. What draws and plays it is in ``stepper``."""
