"""Which rows are in the frame of each row, and how frames move.

What is computed over them lives in ``windows``.
"""
