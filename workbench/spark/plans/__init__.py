"""Plans of Spark's, read from it: their operators, what each does in words, and what each took."""
