"""ClickHouse's own calls, casts, tuples and numbers, rewritten for Spark.

Functions that it shares with other systems are in the package above.
"""
