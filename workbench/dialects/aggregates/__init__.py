"""Aggregates of groups of other systems, rewritten for Spark."""
