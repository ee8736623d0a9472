"""Rows that are valid for an interval: which queries see them, and the answers.

Where they come from is the business of ``entities``.
"""
