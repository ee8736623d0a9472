"""Spark itself, from sessions to shuffles and plans read from Spark.

What is computed on it lives elsewhere.
"""
