"""Queries as text: the time to translate them, and to compute the same as other systems."""
