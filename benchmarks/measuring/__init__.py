"""Measure and report time, memory and Spark's own counts. The measured queries are elsewhere."""
