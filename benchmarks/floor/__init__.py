"""Compare each path with the same Spark job whose Python steps do nothing."""
