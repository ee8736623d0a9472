"""Rows as Arrow and NumPy columns: blocks, bundles, keys and sketches. No Spark lives here."""
