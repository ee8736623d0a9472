"""Rows that are valid for an interval, and their aggregates at a point in time.

Aggregates of events, which happen at one moment, are in ``tiling``.
"""
