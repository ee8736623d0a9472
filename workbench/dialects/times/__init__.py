"""Times, their parts, texts and differences, rewritten for Spark."""
