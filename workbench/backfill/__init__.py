"""Features as of each query. What is served without Spark lives in ``online``."""
