"""Functions and patterns of texts, rewritten for Spark; times as text are in ``times``."""
