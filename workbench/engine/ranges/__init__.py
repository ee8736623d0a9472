"""Ranges of a large partition, so that several tasks answer for it. Spark lives one floor up."""
