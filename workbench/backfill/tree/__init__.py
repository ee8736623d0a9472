"""The method that sends the queries to the events: both sides of its shuffle and its plan.

What tasks of every method share lives in ``worker``.
"""
