"""Spark itself: sessions, sources, shuffles, and plans read from Spark.

The computations on it live elsewhere.
"""
