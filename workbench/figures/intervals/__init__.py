"""Figures of shares with their intervals: by time, and of segments beside each other."""
