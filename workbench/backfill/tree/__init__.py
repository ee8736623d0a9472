"""The method that sends the queries to the events.

Both sides of its shuffle and its plan are here.
"""
