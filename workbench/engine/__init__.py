"""The window engine: computes a window call on one block. No Spark lives here."""
