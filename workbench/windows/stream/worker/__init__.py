"""The code of a stream's tasks: buckets of partitions as Arrow columns. No Spark lives here."""
