"""Figures of shares with intervals, by time and by segment. Both are computed in ``funnel``."""
