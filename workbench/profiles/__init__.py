"""What a table holds, found in one pass, and what its columns may be: key, time, event, value.

It opens no explorer; ``widgets`` does, by what is proposed here.
"""
