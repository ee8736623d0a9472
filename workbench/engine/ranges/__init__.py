"""Ranges of a large partition. They let several tasks answer for it."""
