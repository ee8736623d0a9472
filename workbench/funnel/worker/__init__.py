"""The tasks of funnels in Spark's Python workers. No module here imports Spark."""
