"""Functions of lists, rewritten for Spark: their parts, aggregates and statistics, and vectors."""
