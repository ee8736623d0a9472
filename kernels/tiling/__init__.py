"""Aggregates of windows before a point in time.

The ladder leads from nested loops to tiles and sawtooths.
"""
