"""Features now: a backfill's states in a store, fetched without Spark."""
