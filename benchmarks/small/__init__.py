"""Questions to small tables, warm: what they take beyond an empty job of Spark."""
