"""Functions, types and frames in the SQL of other systems, and how these are written in Spark's.

Both the reader of SQL (``queries``) and the writers (``to_sql`` of a funnel, a window call and a
backfill) use it. Whole queries are not handled here.
"""
