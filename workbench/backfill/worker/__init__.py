"""What a backfill's task does with the queries and events of some keys, on Arrow columns.

No Spark lives here; what only one method does lives in ``split`` and ``tree``.
"""
