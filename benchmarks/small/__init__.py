"""Warm queries on small tables: their time beyond that of an empty job of Spark."""
