"""How time, memory and Spark's own counts are taken and printed. No question is asked here."""
