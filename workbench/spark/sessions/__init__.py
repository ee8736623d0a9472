"""The session of Spark: the one that is there or a local one, its Java, and what both start with.

What is asked of a session lives one floor up.
"""
