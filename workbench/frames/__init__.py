"""Frames as they are written. How a block computes them lives in ``engine``."""
