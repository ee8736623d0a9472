"""What a stream's task does with a bucket of partitions, on Arrow columns. No Spark lives here."""
