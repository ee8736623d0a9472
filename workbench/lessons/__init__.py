"""The data of lessons: runs, steps and counts.

How they are drawn lives in ``figures`` and ``widgets``.
"""
