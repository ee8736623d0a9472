"""ClickHouse's own calls, casts, tuples and numbers, as Spark has them.

What it shares with other systems is told one floor up.
"""
