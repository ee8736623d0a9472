"""The states of aggregates, and how two states are combined.

Windows and tiles decide which rows a state covers.
"""
