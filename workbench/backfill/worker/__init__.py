"""The task of a backfill: computes features of the queries and events of keys on Arrow columns.

It has no Spark. What only one method needs is in ``split`` and ``tree``.
"""
