"""Rows that are valid for an interval, and their aggregates at a point in time.

Aggregates of events, which are of one moment, live in ``tiling``.
"""
