"""Pieces of a large partition, so that several tasks share it. Spark is in the layer above."""
