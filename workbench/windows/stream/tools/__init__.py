"""Streams made and followed for lessons: arrivals, replay, progress."""
