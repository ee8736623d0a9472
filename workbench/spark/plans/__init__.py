"""Parse plans of Spark: their operators, a description of each, and their metrics."""
