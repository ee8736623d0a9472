"""The Spark session: the active one or a new local one, its Java, and the options of both.

What uses a session is in the packages above.
"""
