"""Rows as Arrow and NumPy columns, from blocks to bundles. No Spark lives here."""
