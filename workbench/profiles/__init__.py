"""Profile a table in one pass, and propose what its columns may be: key, time, event, value.

It opens no explorer; ``widgets`` does so with these proposals.
"""
