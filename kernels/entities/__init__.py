"""Rows that are valid for an interval, and their aggregates at a point in time."""
