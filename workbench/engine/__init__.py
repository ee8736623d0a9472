"""The window engine: the answer of a window call on one block. No Spark lives here."""
