"""What a funnel does in Spark's Python workers. No Spark lives here."""
