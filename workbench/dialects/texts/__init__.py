"""Functions and patterns of texts, as Spark has them; times as text live in ``times``."""
