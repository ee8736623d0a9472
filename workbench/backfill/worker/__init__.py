"""What a backfill's task does with the queries and events of some keys, on Arrow columns."""
