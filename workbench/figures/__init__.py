"""Figures: data in, a plotly figure out, a file a subject. Their stills live in ``stills``."""
