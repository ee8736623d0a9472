"""Pieces of a large partition, so that several tasks share it. Spark lives one floor up."""
